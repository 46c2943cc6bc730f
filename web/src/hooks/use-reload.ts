// Looks again every few seconds, for what the server does not tell by itself.
import { useEffect } from "react";

const EVERY_MS = 2000;

export function useReload(reload: () => void, isWanted = true): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [reload, isWanted]);
}
