// Pulling what scrolls about with the pointer, wherever the pull began: in a frame of the canvas or beside it.

/** Follows the pointer until it is let go. Distances are those of the screen, because a frame counts in its own pixels. */
export function pull(event: PointerEvent, scrolled: HTMLElement): void {
  const target = event.target as Element;
  event.preventDefault();
  target.setPointerCapture(event.pointerId);
  let { screenX: x, screenY: y } = event;
  const move = (moved: Event) => {
    const { screenX, screenY } = moved as PointerEvent;
    scrolled.scrollBy(x - screenX, y - screenY);
    [x, y] = [screenX, screenY];
  };
  const end = () => {
    target.removeEventListener("pointermove", move);
    target.removeEventListener("lostpointercapture", end);
  };
  target.addEventListener("pointermove", move);
  target.addEventListener("lostpointercapture", end);
}
