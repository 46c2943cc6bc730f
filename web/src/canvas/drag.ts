// A press that becomes a drag: nothing happens until the pointer has gone a little way, so that clicks stay clicks.

export interface DragSteps {
  /** The pointer has gone far enough. */
  begin(): void;
  /** Points are those of the document that was pressed in. */
  move(point: { x: number; y: number }): void;
  drop(): void;
  /** Called last, after a drop and after Escape. */
  end(): void;
}

/** How far a pointer must go before it drags. */
const SLACK_PX = 5;

/** Follows a press in any document until it is let go. Escape cancels it, wherever the focus is. */
export function followDrag(press: PointerEvent, { begin, move, drop, end }: DragSteps): void {
  const target = press.target as Element;
  const view = target.ownerDocument.defaultView;
  if (view === null) return;
  const listeners = new AbortController();
  const { signal } = listeners;
  const { pointerId, clientX, clientY } = press;
  let dragging = false;

  function finish() {
    listeners.abort();
    if (!dragging) return;
    if (target.hasPointerCapture(pointerId)) target.releasePointerCapture(pointerId);
    end();
  }
  function onMove(event: PointerEvent) {
    if (event.pointerId !== pointerId) return;
    const { clientX: x, clientY: y } = event;
    if (!dragging) {
      if (Math.hypot(x - clientX, y - clientY) <= SLACK_PX) return;
      dragging = true;
      // Without it the pointer would be lost where it leaves the frame.
      target.setPointerCapture(pointerId);
      swallowClick(view as Window);
      begin();
    }
    move({ x, y });
  }
  function onUp(event: PointerEvent) {
    if (event.pointerId !== pointerId) return;
    if (dragging) drop();
    finish();
  }
  function onKey(event: KeyboardEvent) {
    if (!dragging || event.key !== "Escape") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    finish();
  }

  view.addEventListener("pointermove", onMove, { signal });
  view.addEventListener("pointerup", onUp, { signal });
  view.addEventListener("pointercancel", finish, { signal });
  for (const keys of new Set([view, window])) keys.addEventListener("keydown", onKey, { signal, capture: true });
}

/** Letting go counts as a click on what was pressed, which nobody meant. It comes with the same release, or not at all. */
function swallowClick(view: Window) {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const leave = () => setTimeout(() => view.removeEventListener("click", swallow, { capture: true }));
  view.addEventListener("click", swallow, { capture: true });
  view.addEventListener("pointerup", leave, { once: true });
  view.addEventListener("pointercancel", leave, { once: true });
}
