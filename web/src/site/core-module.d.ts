// The generated core brings its own types; these stand in where only the types are checked and the core was not built.
declare module "*/core/core.js" {
  export default function init(module?: { module_or_path: BufferSource }): Promise<unknown>;
  export function coreVersion(): string;
  export class SiteCore {
    constructor(shell: string, seq: number);
    openBody(id: string, body: string, seq: number): void;
    closeBody(id: string): void;
    isOpen(id: string): boolean;
    seq(): number;
    act(change: string): string;
    receive(entry: string): string;
    dropPending(change: string): string;
    pending(): string;
    tools(): string;
    runTool(name: string, call: string): string;
    render(page: string, purpose: string, facts?: string | null): string;
    renderNode(body: string, node: string, facts?: string | null): string;
    renderWith(page: string, ops: string, facts?: string | null): string;
    pages(): string;
    field(entity: string, field: string): string;
    rev(entity: string): number;
    free(): void;
  }
}
