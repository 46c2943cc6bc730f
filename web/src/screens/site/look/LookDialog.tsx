import { words } from "../../../glossary";
import { Dialog } from "../../../parts/dialog/Dialog";
import { LoadingRows } from "../../../parts/loading/Loading";
import { Note } from "../../../parts/problem/Problem";
import type { Sync } from "../../../site/sync";
import { Colors } from "./Colors";
import { Fonts } from "./Fonts";
import styles from "./Look.module.css";
import { ScaleEditor } from "./ScaleEditor";
import { useItems } from "./use-items";

const texts = words.look;

/** The colours, fonts and sizes that the whole site shares. */
export function LookDialog({ sync, onClose }: { sync: Sync; onClose(): void }) {
  const items = useItems(sync);
  return (
    <Dialog title={texts.title} onClose={onClose} size="wide">
      <p className={styles.hint}>{texts.hint}</p>
      {items.status === "loading" && <LoadingRows />}
      {items.status === "failed" && <Note tone="danger">{items.error.message}</Note>}
      {items.status === "ready" && (
        <>
          <section className={styles.part}>
            <h3>{texts.colors}</h3>
            <Colors sync={sync} ids={items.value.colors} />
          </section>
          <section className={styles.part}>
            <h3>{texts.fonts}</h3>
            <Fonts sync={sync} ids={items.value.fonts} />
          </section>
          <section className={styles.part}>
            <h3>{texts.type}</h3>
            <ScaleEditor sync={sync} id={items.value.typeScales[0]} kind="type" />
          </section>
          <section className={styles.part}>
            <h3>{texts.space}</h3>
            <ScaleEditor sync={sync} id={items.value.spacingScales[0]} kind="space" />
          </section>
        </>
      )}
    </Dialog>
  );
}
