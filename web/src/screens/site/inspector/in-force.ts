// What is in force for an element in the active frame: the styles the browser computed for it, and what decided them.
import { useEffect, useState } from "react";
import { type Cascade, cascadeOf } from "../../../canvas/cascade";
import { type NodePlace, selection } from "../../../site/selection";

/** The element on the canvas, in the active frame if it is shown there. */
export function shownElement(place: NodePlace): Element | undefined {
  const frames = [...document.querySelectorAll<HTMLIFrameElement>("iframe[data-frame]")];
  const active = selection.get().breakpoint;
  frames.sort((one, other) => Number(other.dataset.frame === active) - Number(one.dataset.frame === active));
  for (const frame of frames) {
    const found = frame.contentDocument?.querySelector(`[data-sw-node="${CSS.escape(place.node)}"]`);
    if (found) return found;
  }
  return undefined;
}

/** Soon, for the eye; and once more for a page that is long in drawing. */
const LOOK_AFTER_MS = [60, 600];

export interface InForce {
  /** The computed value of a property; empty while nothing is known. */
  value(property: string): string;
  decision: Cascade;
}

const NOTHING: InForce = { value: () => "", decision: () => undefined };

/** Looks again when the key is another one; the frame is brought up to date after the copy. */
export function useInForce(place: NodePlace, key: string): InForce {
  const [inForce, setInForce] = useState(NOTHING);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place or key is what looks again.
  useEffect(() => {
    const look = () => {
      const element = shownElement(place);
      const styles = element?.ownerDocument.defaultView?.getComputedStyle(element);
      if (element === undefined || styles === undefined) setInForce(NOTHING);
      else setInForce({ value: (property) => styles.getPropertyValue(property), decision: cascadeOf(element) });
    };
    const timers = LOOK_AFTER_MS.map((after) => setTimeout(look, after));
    return () => timers.forEach(clearTimeout);
  }, [place.body, place.node, key]);
  return inForce;
}
