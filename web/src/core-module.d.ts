// The generated core brings its own types; these stand in where only the types are checked and the core was not built.
declare module "*/core/core.js" {
  export default function init(): Promise<unknown>;
  export function coreVersion(): string;
}
