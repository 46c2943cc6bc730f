// What somebody means by an address they write: a browser would take a bare host name for a page beside the current one.

const HOST = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}(?::\d+)?(?:[/?#]|$)/i;
const MAILBOX = /^[^\s@/:]+@[^\s@/]+\.[a-z]{2,}$/i;
/** Endings of files, which are no domains. */
const FILE = /^[^/?#]+\.(?:html?|php|pdf|zip|png|jpe?g|gif|webp|svg|txt|xml|json|css|js)(?:[?#]|$)/i;

/** The address with the scheme that was left out, or as it was written. */
export function linkAddress(written: string): string {
  const text = written.trim();
  if (MAILBOX.test(text)) return `mailto:${text}`;
  return HOST.test(text) && !FILE.test(text) ? `https://${text}` : text;
}
