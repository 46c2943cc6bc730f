import { words } from "../../../glossary";
import { LoadingRows } from "../../../parts/loading/Loading";
import { Note } from "../../../parts/problem/Problem";
import type { Sync } from "../../../site/sync";
import { Section } from "../inspector/Row";
import { BreakpointOffer } from "./BreakpointOffer";
import { Colors } from "./Colors";
import styles from "./Design.module.css";
import { Fonts } from "./Fonts";
import { ScaleEditor } from "./ScaleEditor";
import { useItems } from "./use-items";

const texts = words.design;

interface DesignPanelProps {
  sync: Sync;
  /** The page on the canvas. */
  page: string;
}

/** The colours, fonts and sizes that the whole site shares, beside the canvas that shows them. */
export function DesignPanel({ sync, page }: DesignPanelProps) {
  const items = useItems(sync);
  return (
    <div className={styles.panel}>
      <p className={styles.intro}>{texts.hint}</p>
      <BreakpointOffer sync={sync} page={page} />
      {items.status === "loading" && <LoadingRows />}
      {items.status === "failed" && <Note tone="danger">{items.error.message}</Note>}
      {items.status === "ready" && (
        <>
          <Section title={texts.colors.title}>
            <Colors sync={sync} ids={items.value.colors} />
          </Section>
          <Section title={texts.fonts.title}>
            <Fonts sync={sync} ids={items.value} />
          </Section>
          <Section title={texts.scales.type}>
            <ScaleEditor sync={sync} id={items.value.typeScales[0]} kind="type" />
          </Section>
          <Section title={texts.scales.space}>
            <ScaleEditor sync={sync} id={items.value.spacingScales[0]} kind="space" />
          </Section>
        </>
      )}
    </div>
  );
}
