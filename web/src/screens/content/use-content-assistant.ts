// The assistant in the content workspace: it talks about content, and knows which entry is open.
import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { contentWorkspace, entryAt } from "../../agent/content-workspace";
import { agent } from "../../app-state";
import { usePanel } from "../../hooks/use-agent";

export function useContentAssistant(): void {
  const [location] = useLocation();
  const entry = entryAt(location);
  useEffect(() => {
    agent.enter("content");
    return () => agent.enter("site");
  }, []);
  useEffect(() => agent.openSite(contentWorkspace(entry), "content"), [entry]);
}

/** Reads again what the assistant may have changed. */
export function useAssistantChanges(reload: () => void): void {
  const { changes } = usePanel();
  const known = useRef(changes);
  useEffect(() => {
    if (known.current === changes) return;
    known.current = changes;
    reload();
  }, [changes, reload]);
}
