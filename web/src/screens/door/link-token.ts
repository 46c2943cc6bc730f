// One-time links carry their secret behind the "#", which browsers do not send to any server.
export function linkToken(hash: string): string | undefined {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("token");
  return token === null || token === "" ? undefined : token;
}
