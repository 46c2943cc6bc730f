import { Link } from "wouter";
import { words } from "../../glossary";
import { Icon } from "../../parts/icon/Icon";
import type { PageEntry } from "../../site/model";
import styles from "./Site.module.css";

export function PageList({ pages, current }: { pages: readonly PageEntry[]; current: string }) {
  const templates = pages.filter(({ isTemplate }) => isTemplate);
  return (
    <nav className={styles.list} aria-label={words.site.pages}>
      <Group title={words.site.pages} pages={pages.filter(({ isTemplate }) => !isTemplate)} current={current} />
      {templates.length > 0 && <Group title={words.site.templates} pages={templates} current={current} />}
    </nav>
  );
}

function Group({ title, pages, current }: { title: string; pages: readonly PageEntry[]; current: string }) {
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {pages.map(({ id, title: name, permalink, isTemplate }) => (
          <li key={id}>
            <Link href={`/site/${id}`} aria-current={id === current ? "page" : undefined}>
              <Icon name={permalink === "/" ? "home" : "page"} />
              <span>
                <span>{name}</span>
                {!isTemplate && <small>{permalink}</small>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
