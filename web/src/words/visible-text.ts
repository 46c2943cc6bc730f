// Text that somebody else wrote, so that what is read is what is there: characters that hide or turn text around are spelt out.

/** Controls and marks that are not seen themselves. */
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;
/** Those of them that writing needs: tab, line end, what joins letters and emoji, and the hints of right-to-left scripts. */
const HARMLESS = /[\t\n\u{200c}-\u{200f}\u{61c}\u{600}-\u{605}\u{6dd}\u{70f}]/u;

export function visible(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, (character) => {
    if (HARMLESS.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
