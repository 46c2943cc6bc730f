// Where a token is used, as the core counts it.
import { useEffect, useState } from "react";
import { words } from "../../../glossary";
import { newChangeId } from "../../../site/model";
import type { Sync } from "../../../site/sync";

export interface TokenUses {
  count: number;
  places: readonly { name: string; count: number }[];
}

export async function usesOf(sync: Sync, token: string): Promise<TokenUses> {
  const { data } = await sync.plan("list_token_uses", { input: { token }, change: newChangeId() });
  return data as TokenUses;
}

/** The uses of a token; undefined while they are counted, and null when they cannot be. */
export function useUses(sync: Sync, token: string, version: number): TokenUses | null | undefined {
  const [uses, setUses] = useState<TokenUses | null>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version may use it elsewhere.
  useEffect(() => {
    let isCurrent = true;
    usesOf(sync, token).then(
      (found) => isCurrent && setUses(found),
      () => isCurrent && setUses(null),
    );
    return () => {
      isCurrent = false;
    };
  }, [sync, token, version]);
  return uses;
}

const PLACES_MAX = 4;
const texts = words.design.colors;

/** The places with the most uses. */
export function placeWords({ places }: TokenUses): string {
  const listed = [...places].sort((one, other) => other.count - one.count).slice(0, PLACES_MAX);
  return new Intl.ListFormat("en-GB").format(listed.map(({ name, count }) => texts.place(name, count)));
}
