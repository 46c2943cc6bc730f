import type { ReactNode } from "react";
import { words } from "../../glossary";
import { Mark } from "../../parts/mark/Mark";
import { visible } from "../../words/visible-text";
import styles from "./Door.module.css";

interface DoorProps {
  title: string;
  /** The site one would get into, where it is public. */
  site?: string | null;
  intro?: ReactNode;
  children: ReactNode;
}

/** The pages before one is inside: setting up, signing in, choosing a password. */
export function Door({ title, site, intro, children }: DoorProps) {
  return (
    <div className={styles.door}>
      <title>{`${title} · ${site ? visible(site) : words.product}`}</title>
      <main className={styles.main}>
        <div className={styles.brand}>
          <Mark />
          {site ? visible(site) : words.product}
        </div>
        <div className={styles.column}>
          <header className={styles.header}>
            <h1>{title}</h1>
            {intro && <p>{intro}</p>}
          </header>
          {children}
        </div>
      </main>
      <Joinery />
    </div>
  );
}

/** Two boards and the joint of the mark between them: a drawing on the wall, of no meaning to anyone who cannot see it. */
function Joinery() {
  return (
    <div className={styles.wall} aria-hidden="true">
      <svg viewBox="0 0 540 960" preserveAspectRatio="xMidYMid slice" focusable="false" aria-hidden="true">
        <path d={`M-270 400${"h66l-32 136h202l-32-136h66".repeat(4)}V-400H-270Z`} />
      </svg>
    </div>
  );
}
