import { words } from "../../../glossary";
import { Dialog } from "../../../parts/dialog/Dialog";
import { ACTION_GROUPS, labelOf } from "../../../state/actions";
import { Keys } from "../Keys";
import { useActionList } from "../use-actions";
import styles from "./Shortcuts.module.css";

/** All keyboard shortcuts, from the list that also hears them. */
export function Shortcuts({ onClose }: { onClose(): void }) {
  const actions = useActionList().filter(({ keys }) => keys !== undefined);
  return (
    <Dialog title={words.editor.shortcuts} onClose={onClose}>
      <p className={styles.hint}>{words.editor.shortcutsHint}</p>
      <div className={styles.groups}>
        {ACTION_GROUPS.map((group) => {
          const listed = actions.filter((action) => action.group === group);
          if (listed.length === 0) return null;
          return (
            <section key={group} aria-label={words.editor.groups[group]}>
              <h3>{words.editor.groups[group]}</h3>
              <dl>
                {listed.map((action) => (
                  <div key={action.id}>
                    <dt>{labelOf(action)}</dt>
                    <dd>
                      <Keys keys={action.keys?.[0]} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}
