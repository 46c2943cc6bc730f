import { type RefObject, type SyntheticEvent, useEffect, useLayoutEffect, useRef } from "react";

interface Modal {
  ref: RefObject<HTMLDialogElement | null>;
  onCancel(event: SyntheticEvent): void;
}

/** The open dialogs, the last one on top. */
const open: HTMLDialogElement[] = [];

/** What a `<dialog>` needs to be open while it is rendered. The browser keeps the focus inside and gives it back to where it was. */
export function useModal(onClose: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null);

  // A layout effect, because closing must happen before the element leaves the page for the focus to return.
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    open.push(element);
    element.showModal();
    element.querySelector<HTMLElement>("input:not([hidden], [readonly]), select")?.focus();
    return () => {
      open.splice(open.indexOf(element), 1);
      element.close();
    };
  }, []);

  useEscape(ref, onClose);
  return {
    ref,
    // Escape comes as a key; this is the way back of a phone.
    onCancel(event) {
      // React hands over the events of dialogs and file fields inside this one, too. Those are not about this dialog.
      if (event.target !== ref.current) return;
      event.preventDefault();
      onClose();
    },
  };
}

/**
 * Escape is for the dialog on top. Left to the browser, a second Escape in a row closes dialogs without asking, and those that were
 * opened without a key or click in between all at once.
 */
function useEscape(ref: RefObject<HTMLDialogElement | null>, onClose: () => void): void {
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || open.at(-1) !== ref.current) return;
      // A menu that is open over the dialog closes first, by itself.
      if (document.querySelector(":popover-open") !== null) return;
      event.preventDefault();
      close.current();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [ref]);
}
