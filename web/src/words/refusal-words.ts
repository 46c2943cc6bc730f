// Why something was refused, as people read it. The same sentences are written for models, who also get names in code and advice about
// their next call.
import { words } from "../glossary";

/** What a model should call next. */
const ADVICE = / Read the document again\b.*$|; \w+ names (?:those there are|them)(?=\.?$)| \(\w+_\w+\)/gs;

/** A sentence of the server or a tool: what it quotes as code is in quotation marks, and advice for models is left out. */
export function plainSentence(sentence: string): string {
  const plain = sentence
    .replace(ADVICE, "")
    .replace(/`([^`]*)`/g, "“$1”")
    .trim();
  return /[.!?…”]$/.test(plain) ? plain : `${plain}.`;
}

/** Why a tool refused something. What a tool does not find was there a moment ago: people choose from what they see. */
export function refusalSentence({ code, message }: { code: string; message: string }): string {
  return code === "not_found" ? words.errors.gone : plainSentence(message);
}
