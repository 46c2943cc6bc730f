// Keeps the end of a conversation in view while somebody follows it.
import { type RefObject, type UIEvent, useLayoutEffect, useRef } from "react";

interface Following {
  ref: RefObject<HTMLDivElement | null>;
  onScroll(event: UIEvent<HTMLElement>): void;
}

/** How far from its end a reader still counts as following. */
const NEAR_PX = 80;

/**
 * The first child of the element is what grows. `messages` is how many requests there are: a new one is shown wherever the reader was,
 * and without any the element is a page that begins at its top.
 */
export function useFollowing(messages: number): Following {
  const ref = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const isStart = useRef(messages === 0);
  const lastTop = useRef(0);

  useLayoutEffect(() => {
    const element = ref.current;
    isStart.current = messages === 0;
    isFollowing.current = true;
    if (element !== null) element.scrollTop = messages === 0 ? 0 : element.scrollHeight;
  }, [messages]);

  useLayoutEffect(() => {
    const [element, content] = [ref.current, ref.current?.firstElementChild];
    if (element === null || !content) return undefined;
    // Whatever grows, now or when it is loaded, moves the end.
    const watching = new ResizeObserver(() => {
      if (isFollowing.current && !isStart.current) element.scrollTop = element.scrollHeight;
    });
    watching.observe(content);
    return () => watching.disconnect();
  }, []);

  return {
    ref,
    onScroll({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) {
      // Only going up is leaving. What grew since this event was queued also puts the end far away, and nobody scrolled.
      if (scrollHeight - scrollTop - clientHeight < NEAR_PX) isFollowing.current = true;
      else if (scrollTop < lastTop.current) isFollowing.current = false;
      lastTop.current = scrollTop;
    },
  };
}
