import { actions } from "../../app-state";
import { words } from "../../glossary";
import { useSelected } from "../../hooks/use-selection";
import { Button } from "../../parts/button/Button";
import { Icon } from "../../parts/icon/Icon";
import type { PageEntry } from "../../site/model";
import { hover, select } from "../../site/selection";
import type { Sync } from "../../site/sync";
import { layerMarks, layerName } from "./layer-words";
import styles from "./PathBar.module.css";
import { useVersion } from "./use-sync";

interface PathBarProps {
  sync: Sync;
  page: PageEntry;
  pages: readonly PageEntry[];
  editable: boolean;
}

/** What the selected element lies in, from the outside in; each can be picked. */
export function PathBar({ sync, page, pages, editable }: PathBarProps) {
  const place = useSelected(({ node }) => node);
  useVersion(sync);
  const view = place && sync.copy().node(place.body, place.node);
  if (place === undefined || view === undefined) {
    return <p className={styles.bar}>{editable ? words.editor.hint : words.site.readOnly}</p>;
  }
  const template = place.body === page.id ? undefined : pages.find(({ id }) => id === place.body);
  const marks = layerMarks(view);
  return (
    <div className={styles.bar}>
      <nav aria-label={words.editor.path}>
        <ol>
          {view.path.slice(1).map((layer) => (
            <li key={layer.id}>
              <button
                type="button"
                onClick={() => select({ body: place.body, node: layer.id })}
                onPointerEnter={() => hover({ body: place.body, node: layer.id })}
                onPointerLeave={() => hover(undefined)}
              >
                {layerName(layer)}
              </button>
              <Icon name="chevron" />
            </li>
          ))}
          <li aria-current="true">{layerName(view)}</li>
        </ol>
      </nav>
      {marks.length > 0 && <span className={styles.marks}>{marks.join(" · ")}</span>}
      {template !== undefined && (
        <span className={styles.template}>
          {words.editor.belongsTo(template.title)}
          <Button onClick={() => actions.run("element.openTemplate")}>{words.editor.openTemplate}</Button>
        </span>
      )}
    </div>
  );
}
