// A field that a person types in: what they write is theirs until they pause or leave, then it is saved once. Nothing they wrote is
// dropped because it was refused, or, where words are at stake, written over because somebody else was faster.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { reasonOf } from "./element";

/** As long as a pause of somebody who goes on writing. */
export const PAUSE_MS = 900;

export interface DraftOptions {
  value: string;
  /** Why this cannot be saved yet. */
  check?(text: string): string | undefined;
  /** Saves it; what is thrown is shown. */
  save(text: string): unknown;
  /** Enter ends a line instead of saving. */
  multiline?: boolean;
  /** Whether it is saved in a pause of writing, and not only by Enter and on leaving; true when left out. */
  autosave?: boolean;
  /** Asks before it writes over what somebody else wrote meanwhile; else the last one counts. */
  guarded?: boolean;
}

export interface Draft {
  text: string;
  error: string | undefined;
  /** Whether somebody changed the value while this was written. */
  conflict: boolean;
  change(text: string): void;
  /** Saves now. */
  settle(): void;
  /** Saves over what somebody else wrote. */
  takeMine(): void;
  /** Forgets what was written. */
  keepTheirs(): void;
  field: {
    onBlur(): void;
    onKeyDown(event: KeyboardEvent): void;
  };
}

interface Written {
  text: string;
  /** What was there when the writing began. */
  base: string;
  isSaved: boolean;
}

export function useDraft(options: DraftOptions): Draft {
  const [written, setWritten] = useState<Written>();
  const [error, setError] = useState<string>();
  const [conflict, setConflict] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const known = useRef({ options, written });
  known.current = { options, written };

  function keep(next: Written | undefined) {
    // The unmount and the timer look here, before the next render.
    known.current = { ...known.current, written: next };
    setWritten(next);
  }

  function drop() {
    clearTimeout(timer.current);
    keep(undefined);
    setError(undefined);
    setConflict(false);
  }

  function commit(overTheirs: boolean) {
    clearTimeout(timer.current);
    const { options, written } = known.current;
    if (written === undefined || written.isSaved) return;
    if (written.text === written.base) return drop();
    const problem = options.check?.(written.text);
    setError(problem);
    if (problem !== undefined) return;
    const isChanged = options.value !== written.base && options.value !== written.text;
    const isStale = options.guarded === true && !overTheirs && isChanged;
    setConflict(isStale);
    if (isStale) return;
    keep({ ...written, isSaved: true });
    const refused = (reason: unknown) => {
      setError(reasonOf(reason));
      // It stays in the field, unless the person wrote on meanwhile.
      if (known.current.written?.isSaved !== false) keep({ ...written, isSaved: false });
    };
    try {
      Promise.resolve(options.save(written.text)).catch(refused);
    } catch (reason) {
      refused(reason);
    }
  }

  const commitNow = useRef(commit);
  commitNow.current = commit;
  useEffect(() => {
    const flush = () => commitNow.current(false);
    window.addEventListener("pagehide", flush);
    return () => {
      window.removeEventListener("pagehide", flush);
      flush();
    };
  }, []);

  return {
    text: written?.text ?? options.value,
    error,
    conflict,
    change(text) {
      const base = written === undefined || written.isSaved ? options.value : written.base;
      keep({ text, base, isSaved: false });
      setError(undefined);
      clearTimeout(timer.current);
      if (options.autosave !== false) timer.current = setTimeout(() => commitNow.current(false), PAUSE_MS);
    },
    settle: () => commit(false),
    takeMine: () => commit(true),
    keepTheirs: drop,
    field: {
      onBlur() {
        commit(false);
        if (known.current.written?.isSaved === true) keep(undefined);
      },
      onKeyDown(event) {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter" && options.multiline !== true) commit(false);
        else if (event.key === "Escape" && written !== undefined) drop();
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
  };
}
