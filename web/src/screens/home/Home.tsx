import { useCallback } from "react";
import { Link } from "wouter";
import { may } from "../../access/permissions";
import { publishApi } from "../../app-state";
import type { WouldChange } from "../../generated/api";
import { words } from "../../glossary";
import { useDismissed } from "../../hooks/use-dismissed";
import { useInbox } from "../../hooks/use-inbox";
import { useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Rows } from "../../parts/card/Card";
import { Loaded, LoadingRows } from "../../parts/loading/Loading";
import { Page, Section } from "../../parts/page/Page";
import { recentEntries } from "../../site/history";
import { waitingIn } from "../../state/inbox";
import { ChangeGroup } from "../activity/ChangeGroup";
import { useNames } from "../site/history/use-names";
import { Checklist } from "./Checklist";
import styles from "./Home.module.css";
import { type HomeFacts, loadHome } from "./home-facts";
import { PublishedCard } from "./PublishedCard";
import { publishProblems } from "./page-states";
import { SiteCard } from "./SiteCard";
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

/** Someone who may not read the site sees neither its picture nor what is published. */
const noComparison = (): Promise<WouldChange> => new Promise(() => undefined);

function Overview({ facts, onPublished }: { facts: HomeFacts; onPublished(): void }) {
  const { capabilities } = useSession();
  const inbox = useInbox();
  const would = useResource(facts.release === undefined ? noComparison : publishApi.wouldChange);
  const looksAfterInbox = may(capabilities, { needs: "tools.read" });
  const { isKnown } = useDismissed("checklist");
  // Showing the rest before these are known would move everything.
  if (!isKnown || (looksAfterInbox && inbox.status === "loading")) return <LoadingRows />;
  const waiting = waitingIn(inbox);
  const { unknownCalls, unresolvedMissions } = facts;
  const isUrgent = waiting + unknownCalls + unresolvedMissions > 0;
  const comparison = would.state.status === "ready" ? would.state.value : undefined;
  const problems = comparison === undefined ? [] : publishProblems(comparison);
  const attention = <WaitingCard {...{ waiting, unknownCalls, unresolvedMissions, problems }} />;
  return (
    <div className={styles.home}>
      {/* What only a person can do comes before anything else, also on a phone. */}
      {isUrgent && <div className={styles.urgent}>{attention}</div>}
      {facts.release !== undefined && <SiteCard would={comparison} />}
      <div className={styles.overview}>
        <div className={styles.main}>
          <Checklist facts={facts} />
          {facts.changes && <RecentChanges changes={facts.changes} />}
        </div>
        <div className={styles.side}>
          {facts.release !== undefined && (
            <PublishedCard release={facts.release} would={would} onPublished={onPublished} />
          )}
          {facts.budget && <UsageCard budget={facts.budget} usage={facts.usage} />}
          {/* The last of the column, because what the publish check finds makes it taller. */}
          {!isUrgent && (looksAfterInbox || facts.release !== undefined) && attention}
        </div>
      </div>
    </div>
  );
}

const GROUPS_SHOWN = 5;
const LINES_SHOWN = 3;

function RecentChanges({ changes }: { changes: NonNullable<HomeFacts["changes"]> }) {
  const nameOf = useNames();
  const entries = recentEntries(changes).slice(0, GROUPS_SHOWN);
  return (
    <Section
      title={words.home.changes}
      action={
        <Link className={styles.all} href="/activity/changes">
          {words.home.allChanges}
        </Link>
      }
    >
      {entries.length === 0 ? (
        <p className={styles.faint}>{words.home.noChanges}</p>
      ) : (
        <Rows label={words.home.changes}>
          {entries.map((entry) => (
            <li key={entry.changes.at(-1)?.id}>
              <ChangeGroup entry={entry} nameOf={nameOf} most={LINES_SHOWN} />
            </li>
          ))}
        </Rows>
      )}
    </Section>
  );
}
