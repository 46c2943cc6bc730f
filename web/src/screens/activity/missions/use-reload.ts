// Looks again every few seconds while something is under way.
import { useEffect } from "react";

const EVERY_MS = 2000;

export function useReload(reload: () => void, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(reload, EVERY_MS);
    return () => clearInterval(timer);
  }, [reload, isWanted]);
}
