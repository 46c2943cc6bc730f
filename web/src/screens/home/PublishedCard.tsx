import type { ReleaseInfo, WouldChange } from "../../generated/api";
import { words } from "../../glossary";
import type { Resource } from "../../hooks/use-resource";
import { Icon } from "../../parts/icon/Icon";
import { When } from "../../parts/When";
import { visible } from "../../words/visible-text";
import { PublishButton } from "../publish/PublishButton";
import styles from "./Home.module.css";

interface PublishedCardProps {
  release: ReleaseInfo | null;
  would: Resource<WouldChange>;
  onPublished(): void;
}

/** What visitors see, what they do not see yet, and publishing it. */
export function PublishedCard({ release, would, onPublished }: PublishedCardProps) {
  const { state } = would;
  const publicUrl = (state.status === "ready" && state.value.publicUrl) || "";
  return (
    <section className={styles.card} aria-labelledby="home-published">
      <h2 id="home-published">{words.home.published}</h2>
      {release === null ? (
        <p className={styles.big}>{words.home.nothingPublished}</p>
      ) : (
        <>
          <p className={styles.big}>
            {words.publishing.release(release.number)} <small>{words.publishing.pages(release.pages)}</small>
          </p>
          <p className={styles.faint}>
            <When at={release.at} />
            {release.byName && ` · ${visible(release.byName)}`}
          </p>
        </>
      )}
      {/* Comparing renders the site and may take a while; its line is there from the start. */}
      <p className={styles.faint} role="status">
        {state.status === "loading" && words.home.comparing}
        {state.status === "failed" && state.error.message}
        {state.status === "ready" &&
          (state.value.changes.length === 0
            ? words.home.upToDate
            : words.publishing.unpublished(state.value.changes.length))}
      </p>
      <div className={styles.buttons}>
        <PublishButton
          onPublished={() => {
            would.reload();
            onPublished();
          }}
        />
        {release !== null && (
          <a className={styles.outside} href={`${publicUrl}/`} target="_blank" rel="noreferrer">
            {words.home.visit}
            <Icon name="external" />
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        )}
      </div>
    </section>
  );
}
