import { type RefObject, type SyntheticEvent, useLayoutEffect, useRef } from "react";

interface Modal {
  ref: RefObject<HTMLDialogElement | null>;
  onCancel(event: SyntheticEvent): void;
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
      event.preventDefault();
      onClose();
    },
  };
}
