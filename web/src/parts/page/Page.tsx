import type { ReactNode } from "react";
import { words } from "../../glossary";
import styles from "./Page.module.css";

interface PageProps {
  title: string;
  /** The heading, where it says something else than the title of the tab. */
  heading?: string;
  intro?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

export function Page({ title, heading = title, intro, action, children }: PageProps) {
  return (
    <>
      <title>{`${title} · ${words.product}`}</title>
      <header className={styles.header}>
        <div>
          <h1>{heading}</h1>
          {intro && <p>{intro}</p>}
        </div>
        {action}
      </header>
      {children}
    </>
  );
}

interface SectionProps {
  title: string;
  intro?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

export function Section({ title, intro, action, children }: SectionProps) {
  return (
    <section className={styles.section}>
      <header className={styles.sectionHeader}>
        <div>
          <h2>{title}</h2>
          {intro && <p>{intro}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}
