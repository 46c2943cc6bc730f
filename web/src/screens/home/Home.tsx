import { useCallback } from "react";
import { Link } from "wouter";
import { may } from "../../access/permissions";
import { words } from "../../glossary";
import { useDismissed } from "../../hooks/use-dismissed";
import { useInbox } from "../../hooks/use-inbox";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Rows } from "../../parts/card/Card";
import { Loaded, LoadingRows } from "../../parts/loading/Loading";
import { Page, Section } from "../../parts/page/Page";
import { waitingIn } from "../../state/inbox";
import { ChangeLine } from "../activity/ChangeLine";
import { useNames } from "../site/history/use-names";
import { Checklist } from "./Checklist";
import styles from "./Home.module.css";
import { type HomeFacts, loadHome, recent } from "./home-facts";
import { PublishedCard } from "./PublishedCard";
import { UsageCard } from "./UsageCard";
import { WaitingCard } from "./WaitingCard";

/** What to do next, what happened, and how things stand. */
export function Home() {
  const { user, site, capabilities } = useSession();
  const facts = useResource(useCallback(() => loadHome(capabilities), [capabilities]));
  return (
    <Page
      title={words.pages.home}
      heading={`Welcome, ${user?.name ?? ""}`}
      intro={site && `Manage ${site.name} from here.`}
    >
      <Loaded resource={facts}>{(value) => <Overview facts={value} onPublished={facts.reload} />}</Loaded>
    </Page>
  );
}

function Overview({ facts, onPublished }: { facts: HomeFacts; onPublished(): void }) {
  const { capabilities } = useSession();
  const inbox = useInbox();
  const looksAfterInbox = may(capabilities, { needs: "tools.read" });
  const { isKnown } = useDismissed("checklist");
  // Showing the rest before these are known would move everything.
  if (!isKnown || (looksAfterInbox && inbox.status === "loading")) return <LoadingRows />;
  const waiting = waitingIn(inbox);
  const { unknownCalls, unresolvedMissions } = facts;
  const isUrgent = waiting + unknownCalls + unresolvedMissions > 0;
  return (
    <div className={styles.home}>
      {/* What only a person can do comes before anything else, also on a phone. */}
      {isUrgent && (
        <div className={styles.urgent}>
          <WaitingCard {...{ waiting, unknownCalls, unresolvedMissions }} />
        </div>
      )}
      <div className={styles.overview}>
        <div className={styles.main}>
          <Checklist facts={facts} />
          {facts.changes && <RecentChanges changes={recent(facts.changes)} />}
        </div>
        <div className={styles.side}>
          {facts.release !== undefined && <PublishedCard release={facts.release} onPublished={onPublished} />}
          {looksAfterInbox && !isUrgent && <WaitingCard waiting={0} unknownCalls={0} unresolvedMissions={0} />}
          {facts.budget && <UsageCard budget={facts.budget} usage={facts.usage} />}
        </div>
      </div>
    </div>
  );
}

function RecentChanges({ changes }: { changes: NonNullable<HomeFacts["changes"]> }) {
  const nameOf = useNames();
  return (
    <Section
      title={words.home.changes}
      action={
        <Link className={styles.all} href="/activity/changes">
          {words.home.allChanges}
        </Link>
      }
    >
      {changes.length === 0 ? (
        <p className={styles.faint}>{words.home.noChanges}</p>
      ) : (
        <Rows label={words.home.changes}>
          {changes.map((change) => (
            <li key={change.seq}>
              <ChangeLine change={change} nameOf={nameOf} />
            </li>
          ))}
        </Rows>
      )}
    </Section>
  );
}
