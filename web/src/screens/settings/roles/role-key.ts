/** A key for a new role: readable in addresses, and never one that exists, because saving under it would overwrite that role. */
export function newRoleKey(name: string, taken: readonly string[]): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 30);
  const base = /^[a-z]/.test(slug) ? slug : `role-${slug}`.replace(/-$/, "");
  let key = base;
  for (let count = 2; taken.includes(key); count += 1) key = `${base}-${count}`;
  return key;
}
