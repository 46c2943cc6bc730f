import { useEffect, useSyncExternalStore } from "react";
import { presence } from "../../app-state";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Avatar } from "../../parts/avatar/Avatar";
import type { PageEntry } from "../../site/model";
import styles from "./PresenceBar.module.css";

const texts = words.presence;
const SHOWN_MAX = 4;

/** Who else is here, and whose turn of the assistant is running. */
export function PresenceBar({ page, pages }: { page: PageEntry; pages: readonly PageEntry[] }) {
  const { user } = useSession();
  const { people, turns } = useSyncExternalStore(presence.subscribe, presence.get);
  useEffect(() => presence.stay(page.id), [page.id]);
  const others = people.filter(({ id }) => id !== user?.id);
  // Those on this page come first.
  others.sort((one, other) => Number(other.page === page.id) - Number(one.page === page.id));
  const where = ({ name, page: at }: (typeof people)[number]) => {
    if (at === page.id) return texts.here(name);
    return texts.on(name, pages.find(({ id }) => id === at)?.title ?? words.somebody);
  };
  return (
    <div className={styles.bar}>
      {turns.map(({ turnId, who }) => (
        <span key={turnId} className={styles.turn} role="status">
          <span className={styles.pulse} aria-hidden="true" />
          {who.id !== undefined && who.id === user?.id ? texts.ownTurn : texts.turn(who.name)}
        </span>
      ))}
      {others.length > 0 && (
        <ul className={styles.people} aria-label={texts.label}>
          {others.slice(0, SHOWN_MAX).map((person) => (
            <li key={`${person.id} ${person.page}`} title={where(person)} data-here={person.page === page.id}>
              <Avatar name={person.name} />
              <span className="visually-hidden">{where(person)}</span>
            </li>
          ))}
          {others.length > SHOWN_MAX && <li className={styles.more}>{texts.more(others.length - SHOWN_MAX)}</li>}
        </ul>
      )}
    </div>
  );
}
