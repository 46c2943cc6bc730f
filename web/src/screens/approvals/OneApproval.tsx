import { useCallback, useEffect, useState } from "react";
import { api } from "../../app-state";
import { words } from "../../glossary";
import { useInbox } from "../../hooks/use-inbox";
import { useResource } from "../../hooks/use-resource";
import { ButtonLink } from "../../parts/button/Button";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import type { Entry } from "../../state/inbox";
import { isUnderWay, isWaiting } from "../../words/call-words";
import { ApprovalCard, announcementOf, headingOf } from "./ApprovalCard";

/** The card that an agent gave a link to, also when it is decided already. */
export function OneApproval({ id, announce }: { id: string; announce(text: string): void }) {
  const resource = useResource(useCallback(() => api.approval(id), [id]));
  const [overtaken, setOvertaken] = useState<string>();
  const inboxState = useInbox();
  const { state, reload, replace } = resource;
  const underWay = state.status === "ready" && isUnderWay(state.value);

  // Whoever looks after the inbox looks after this card with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a look at the inbox is what asks again.
  useEffect(() => {
    if (underWay) reload();
  }, [inboxState]);

  function onDecided(entry: Entry) {
    replace(() => entry.card);
    setOvertaken(entry.overtaken);
    announce(announcementOf(entry));
    document.getElementById(headingOf(entry.card))?.focus();
  }

  const waits = state.status === "ready" && isWaiting(state.value);
  return (
    <Page
      title={words.pages.approval}
      action={<ButtonLink href="/approvals">{words.approvals.all}</ButtonLink>}
      intro={
        waits ? "An agent sent you here because it needs an answer to continue." : "An agent asked for this earlier."
      }
    >
      <Loaded resource={resource}>
        {(card) => <ApprovalCard entry={{ card, overtaken }} onDecided={onDecided} />}
      </Loaded>
    </Page>
  );
}
