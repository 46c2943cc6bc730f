import type { ReactNode } from "react";
import { words } from "../../glossary";
import { Mark } from "../../parts/mark/Mark";
import styles from "./Door.module.css";

interface DoorProps {
  title: string;
  intro?: ReactNode;
  children: ReactNode;
}

/** The pages before one is inside: setting up, signing in, choosing a password. */
export function Door({ title, intro, children }: DoorProps) {
  return (
    <div className={styles.door}>
      <title>{`${title} · ${words.product}`}</title>
      <main className={styles.main}>
        <div className={styles.brand}>
          <Mark />
          {words.product}
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

const ROWS = [0, 1, 2, 3, 4, 5, 6, 7];

/** The joint of the mark, repeated: a drawing on the wall, of no meaning to anyone who cannot see it. */
function Joinery() {
  return (
    <div className={styles.wall} aria-hidden="true">
      <svg viewBox="0 0 480 960" preserveAspectRatio="xMidYMid slice" focusable="false">
        <title>Joinery</title>
        {ROWS.map((row) => (
          <path key={row} transform={`translate(${row % 2 === 0 ? -60 : 0} ${row * 120})`} d={JOINT} />
        ))}
      </svg>
    </div>
  );
}

const JOINT = Array.from({ length: 6 }, (_, column) => `M${column * 120} 60h34l-14 60h80l-14-60h34`).join("");
