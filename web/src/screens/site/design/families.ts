// The fonts that can be chosen for a role: those installed on the site, and stacks of fonts that devices bring with them.
import { useEffect, useMemo } from "react";
import type { FontFile } from "../../../generated/site";
import { words } from "../../../glossary";
import type { Sync } from "../../../site/sync";
import { itemEntity } from "./use-items";

export interface Family {
  name: string;
  files: readonly FontFile[];
}

/** Stacks that need no file. */
export const SYSTEM_STACKS: Readonly<Record<string, string>> = words.design.fonts.systemNames;

export function familiesOf(sync: Sync, ids: readonly string[]): Family[] {
  return ids.flatMap((id) => {
    const entity = itemEntity("families", id);
    const name = sync.copy().field(entity, "family");
    const files = sync.copy().field(entity, "files");
    return typeof name === "string" && Array.isArray(files) ? [{ name, files: files as FontFile[] }] : [];
  });
}

/** The name under which the shell knows a font of the site, apart from its own fonts. */
const shellName = (family: string) => `site ${family}`;

/** Makes the fonts of the site known to the shell, for specimens. */
export function useSiteFonts(families: readonly Family[]): void {
  const key = JSON.stringify(families);
  const faces = useMemo(() => (JSON.parse(key) as Family[]).flatMap(facesOf), [key]);
  useEffect(() => {
    for (const face of faces) document.fonts.add(face);
    return () => {
      for (const face of faces) document.fonts.delete(face);
    };
  }, [faces]);
}

function facesOf({ name, files }: Family): FontFace[] {
  return files.map(({ weight, italic, blob, unicodeRange }) => {
    const style = italic ? "italic" : "normal";
    const range = unicodeRange ?? undefined;
    return new FontFace(shellName(name), `url("/uploads/fonts/${blob}.woff2")`, {
      weight,
      style,
      ...(range === undefined ? {} : { unicodeRange: range }),
    });
  });
}

/** The fonts of a role, as the shell can show them. */
export function specimenFamily(family: string, fallback: string): string {
  return family === "" ? fallback : `"${shellName(family).replaceAll('"', "")}", ${fallback || "sans-serif"}`;
}
