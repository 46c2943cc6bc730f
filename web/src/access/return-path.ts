// Where to go after signing in. Only our own pages: the address can be written by anyone who makes a link.
const PUBLIC = ["/sign-in", "/setup", "/join"];

/** The path to come back to, as a query for the sign-in page. */
export function signInPath(from: string): string {
  return from === "/" || PUBLIC.includes(from) ? "/sign-in" : `/sign-in?next=${encodeURIComponent(from)}`;
}

export function returnPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  const ours = /^\/(?![/\\])[\w\-./]*$/.test(next);
  return ours && !PUBLIC.includes(next) ? next : "/";
}
