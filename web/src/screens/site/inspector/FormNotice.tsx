import { words } from "../../../glossary";
import { Note } from "../../../parts/problem/Problem";
import type { NodeView } from "../../../site/model";
import type { SiteCopy } from "../../../site/site-copy";
import type { SectionProps } from "./element";
import styles from "./Inspector.module.css";

/** Says that a form, or the form around what is selected, sends nothing. */
export function FormNotice({ selected: { sync, place, node } }: SectionProps) {
  const form = formAround(sync.copy(), place.body, node);
  if (form === undefined || !isDead(form)) return null;
  return (
    <div className={styles.shared}>
      <Note tone="caution">{words.inspector.deadForm}</Note>
    </div>
  );
}

function formAround(copy: SiteCopy, body: string, node: NodeView): NodeView | undefined {
  if (node.tag === "form") return node;
  const form = node.path.find(({ tag }) => tag === "form");
  return form && copy.node(body, form.id);
}

/** Whether it has no address to send to; pages are files, which receive nothing. */
function isDead({ attrs }: NodeView): boolean {
  return ["", "#"].includes(attrs.find(({ name }) => name === "action")?.value ?? "");
}
