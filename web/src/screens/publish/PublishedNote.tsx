import type { ChangeInfo, Published } from "../../api/publish-api";
import { words } from "../../glossary";
import { Icon } from "../../parts/icon/Icon";
import { Note } from "../../parts/problem/Problem";
import { visible } from "../../words/visible-text";
import styles from "./Publish.module.css";

const LINKS_MAX = 6;

interface PublishedNoteProps {
  published: Published;
  changes: readonly ChangeInfo[];
  /** Where visitors find the site, when that is not here. */
  publicUrl: string;
}

/** That it is done, and where to see it. */
export function PublishedNote({ published, changes, publicUrl }: PublishedNoteProps) {
  const pages = changes.filter(({ change, address }) => change !== "removed" && isPage(address));
  const removed = changes.length - changes.filter(({ change }) => change !== "removed").length;
  return (
    <>
      <Note tone="calm">
        Visitors see it now. The site has {words.publishing.pages(published.pages)}
        {removed > 0 && `; ${words.publishing.pages(removed)} went away`}.
      </Note>
      <ul className={styles.links} aria-label="View it">
        {pages.slice(0, LINKS_MAX).map(({ address, title }) => (
          <li key={address}>
            <a href={publicUrl + address} target="_blank" rel="noreferrer">
              <span>{visible(title)}</span>
              <code>{address}</code>
              <Icon name="external" />
              <span className="visually-hidden"> (opens in a new tab)</span>
            </a>
          </li>
        ))}
      </ul>
      {pages.length > LINKS_MAX && <p>{words.approvals.more(pages.length - LINKS_MAX)}</p>}
    </>
  );
}

/** Pages that are shown for other addresses have none that a person would open. */
function isPage(address: string): boolean {
  return address !== "/404.html";
}
