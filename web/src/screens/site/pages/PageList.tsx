import { Link } from "wouter";
import { words } from "../../../glossary";
import { IconButton } from "../../../parts/button/Button";
import { Icon } from "../../../parts/icon/Icon";
import { Menu, MenuItem } from "../../../parts/menu/Menu";
import type { PageEntry } from "../../../site/model";
import type { Sync } from "../../../site/sync";
import { reportErrors } from "../element-actions";
import styles from "./PageList.module.css";
import { makeHome } from "./page-changes";
import { pageQuestion } from "./page-question";

interface PageListProps {
  sync: Sync;
  pages: readonly PageEntry[];
  current: string;
  editable: boolean;
}

export function PageList({ sync, pages, current, editable }: PageListProps) {
  const templates = pages.filter(({ isTemplate }) => isTemplate);
  const group = { sync, current, editable };
  return (
    <nav className={styles.list} aria-label={words.site.pages}>
      <header>
        <h2>{words.site.pages}</h2>
        {editable && (
          <span>
            <IconButton
              label={words.pageImport.action}
              icon="import"
              onClick={() => pageQuestion.set({ kind: "import" })}
            />
            <IconButton
              label={words.editor.actions.addPage}
              icon="plus"
              onClick={() => pageQuestion.set({ kind: "add" })}
            />
          </span>
        )}
      </header>
      <Group {...group} pages={pages.filter(({ isTemplate }) => !isTemplate)} />
      {templates.length > 0 && (
        <>
          <header>
            <h2>{words.site.templates}</h2>
          </header>
          <Group {...group} pages={templates} />
        </>
      )}
    </nav>
  );
}

function Group({ sync, pages, current, editable }: PageListProps) {
  return (
    <ul>
      {pages.map((page) => (
        <li key={page.id}>
          <Link href={`/site/${page.id}`} aria-current={page.id === current ? "page" : undefined}>
            <Icon name={isHome(page) ? "home" : "page"} />
            <span>
              <span>{page.title}</span>
              {!page.isTemplate && <small>{page.permalink}</small>}
            </span>
          </Link>
          {editable && <PageMenu sync={sync} page={page} />}
        </li>
      ))}
    </ul>
  );
}

function PageMenu({ sync, page }: { sync: Sync; page: PageEntry }) {
  const { actions } = words.editor;
  return (
    <Menu look="icon" label={words.editor.pageMenu(page.title)} trigger={<Icon name="more" />}>
      <MenuItem icon="pencil" onSelect={() => pageQuestion.set({ kind: "rename", page })}>
        {actions.rename}
      </MenuItem>
      <MenuItem icon="copy" onSelect={() => pageQuestion.set({ kind: "duplicate", page })}>
        {actions.duplicate}
      </MenuItem>
      {!page.isTemplate && !isHome(page) && (
        <MenuItem icon="home" onSelect={() => void reportErrors(sync, () => makeHome(sync, page))}>
          {actions.makeHome}
        </MenuItem>
      )}
      <MenuItem icon="trash" danger onSelect={() => pageQuestion.set({ kind: "delete", page })}>
        {actions.delete}
      </MenuItem>
    </Menu>
  );
}

export function isHome({ permalink, isTemplate }: PageEntry): boolean {
  return permalink === "/" && !isTemplate;
}
