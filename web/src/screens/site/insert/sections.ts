// Finding a section among those of the library.
import type { DesignSection } from "../../../api/design-api";

/** The families in the order of the library. */
export function familiesOf(sections: readonly DesignSection[]): string[] {
  return [...new Set(sections.map(({ family }) => family))];
}

/** A family as it is written on screen: `call-to-action` is "Call to action". */
export function familyName(family: string): string {
  const text = family.replaceAll(/[-_]+/g, " ").trim();
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** Those of a family, or of all, that have every word somewhere in their name, family or description. */
export function findSections(sections: readonly DesignSection[], query: string, family: string): DesignSection[] {
  const wanted = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return sections.filter((section) => {
    const text =
      `${section.name} ${familyName(section.family)} ${section.description} ${section.key}`.toLocaleLowerCase();
    return (family === "" || section.family === family) && wanted.every((word) => text.includes(word));
  });
}
