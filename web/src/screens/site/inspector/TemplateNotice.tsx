import { actions } from "../../../app-state";
import { words } from "../../../glossary";
import { Button } from "../../../parts/button/Button";
import { Note } from "../../../parts/problem/Problem";
import type { NodePlace } from "../../../site/selection";
import type { Sync } from "../../../site/sync";
import styles from "./Inspector.module.css";

/** Says that what is selected belongs to a template, before somebody changes every page by mistake. */
export function TemplateNotice({ sync, place, page }: { sync: Sync; place: NodePlace; page: string }) {
  if (place.body === page) return null;
  const template = sync
    .copy()
    .pages()
    .find(({ id }) => id === place.body);
  if (template === undefined) return null;
  return (
    <div className={styles.shared}>
      <Note tone="caution">
        <p>{words.editor.sharedPart(template.title)}</p>
        <Button onClick={() => actions.run("element.openTemplate")}>{words.editor.openTemplate}</Button>
      </Note>
    </div>
  );
}
