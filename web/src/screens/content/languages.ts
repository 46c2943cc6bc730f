// Names of languages.

/** The name of a language by its tag, in English; the tag itself when it has none. */
export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(tag) ?? tag;
  } catch {
    // What is no tag at all has no name either.
    return tag;
  }
}
