// What is in force for an element: the styles the browser computed for it in the active frame.
import { useEffect, useState } from "react";
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

export type InForce = (property: string) => string;

/** Looks again when the version is another one; the frame is brought up to date after the copy. */
export function useInForce(place: NodePlace, version: number, breakpoint: string | undefined): InForce {
  const [look, setLook] = useState<{ styles?: CSSStyleDeclaration }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version, place or frame is what looks again.
  useEffect(() => {
    const look = () => {
      const element = shownElement(place);
      const styles = element?.ownerDocument.defaultView?.getComputedStyle(element);
      setLook({ styles });
    };
    const timers = LOOK_AFTER_MS.map((after) => setTimeout(look, after));
    return () => timers.forEach(clearTimeout);
  }, [place.body, place.node, version, breakpoint]);
  return (property) => look.styles?.getPropertyValue(property) ?? "";
}
