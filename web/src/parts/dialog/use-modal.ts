import { type RefObject, type SyntheticEvent, useLayoutEffect, useRef } from "react";

interface Modal {
  ref: RefObject<HTMLDialogElement | null>;
  onCancel(event: SyntheticEvent): void;
  onClose(event: SyntheticEvent): void;
}

/** What a `<dialog>` needs to be open while it is rendered. The browser keeps the focus inside and gives it back to where it was. */
export function useModal(onClose: () => void): Modal {
  const ref = useRef<HTMLDialogElement>(null);

  // A layout effect, because closing must happen before the element leaves the page for the focus to return.
  useLayoutEffect(() => {
    const element = ref.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("input:not([hidden], [readonly]), select")?.focus();
    return () => element?.close();
  }, []);

  return {
    ref,
    onCancel(event) {
      // React hands over the events of dialogs and file fields inside this one, too. Those are not about this dialog.
      if (event.target !== ref.current) return;
      event.preventDefault();
      onClose();
    },
    // A browser does not ask twice without a key or click in between: the second Escape closes the dialog without a cancel event. Whoever
    // renders the dialog decides whether it ends, so it is open until they do.
    onClose({ target }) {
      const element = ref.current;
      if (element === null || target !== element || element.open) return;
      element.showModal();
      onClose();
    },
  };
}
