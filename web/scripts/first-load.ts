// How much a browser fetches before somebody can sign in. The build fails when it grows past its limit, because nobody would notice:
// one import from a shared file is enough to bring the editor along.
import { brotliCompressSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

interface FirstLoadOptions {
  /** The module of the screen, as the end of its path. */
  screen: string;
  /** The most bytes of scripts and styles, compressed by Brotli as the server sends them. */
  bytesMax: number;
  /** The ends of paths of modules that must not be among them. */
  without: readonly string[];
}

export function firstLoad({ screen, bytesMax, without }: FirstLoadOptions): Plugin {
  return {
    name: "first-load",
    apply: "build",
    // After Vite's own plugins have written the styles.
    enforce: "post",
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
      const starts = chunks.filter((chunk) => chunk.isEntry || chunk.facadeModuleId?.endsWith(screen));
      if (starts.length < 2)
        this.error(`no chunk begins with ${screen}: has the screen another name, or is it in the entry?`);
      const needed = staticImports(starts, bundle);
      for (const module of needed.flatMap(({ moduleIds }) => moduleIds)) {
        const found = without.find((end) => module.endsWith(end));
        if (found !== undefined) this.error(`${found} is fetched before signing in: import it from its screen only`);
      }
      const styles = new Set(needed.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]));
      const files = [...needed.map(({ fileName }) => fileName), ...styles];
      const bytes = files.reduce((sum, file) => sum + compressed(bundle[file]), 0);
      const report = `first load of ${screen}: ${(bytes / 1000).toFixed(1)} KB in ${files.length} files, compressed`;
      if (bytes > bytesMax) this.error(`${report}, more than ${bytesMax / 1000} KB`);
      this.info(report);
    },
  };
}

/** The chunks, and everything they cannot start without. */
function staticImports(starts: readonly Rolldown.OutputChunk[], bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const found = new Set(starts);
  for (const chunk of found) {
    for (const name of chunk.imports) {
      const imported = bundle[name];
      if (imported?.type === "chunk") found.add(imported);
    }
  }
  return [...found];
}

function compressed(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): number {
  if (file === undefined) return 0;
  return brotliCompressSync(file.type === "chunk" ? file.code : file.source).length;
}
