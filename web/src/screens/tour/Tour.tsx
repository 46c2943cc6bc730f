import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { words } from "../../glossary";
import { useDismissed } from "../../hooks/use-dismissed";
import { Button, IconButton } from "../../parts/button/Button";
import { useActions } from "../site/use-actions";
import { place, type Rect } from "./place";
import styles from "./Tour.module.css";

const STEPS = ["assistant", "insert", "text", "undo", "preview", "publish"] as const;
type StepName = (typeof STEPS)[number];

/** A short walk through the editor on the first visit. Everything stays usable meanwhile; Escape or Skip ends it for good. */
export function Tour() {
  const { isKnown, isDismissed, dismiss, restore } = useDismissed("tour");
  useActions(() => {
    if (!isDismissed) return [];
    return [{ id: "view.tour", label: words.tour.again, group: "view", icon: "arrow", run: restore }];
  }, [isDismissed]);
  return isKnown && !isDismissed ? <Walk onEnd={dismiss} /> : null;
}

function Walk({ onEnd }: { onEnd(): void }) {
  const [name, setName] = useState<StepName>();
  const anchor = useAnchor(name);
  const card = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const [at, setAt] = useState<{ left: number; top: number }>();

  useLayoutEffect(() => {
    if (anchor === undefined || card.current === null) return;
    const room = { width: window.innerWidth, height: window.innerHeight };
    setAt(place(anchor, { width: card.current.offsetWidth, height: card.current.offsetHeight }, room));
  }, [anchor]);

  // The parts it points at come onto the page together with it, so the first is found only then.
  useEffect(() => setName(nextOf(undefined)), []);

  // Each step is heard and can be left with Tab: the focus goes to its heading and is not held there.
  const shown = anchor === undefined ? undefined : name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step is what moves the focus.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [shown]);

  if (name === undefined || anchor === undefined) return null;
  const following = nextOf(name);
  const steps = present();
  const { title, text } = words.tour.steps[name];

  function end() {
    onEnd();
    document.getElementById("content")?.focus({ preventScroll: true });
  }

  return (
    <>
      <div className={styles.ring} style={anchor} aria-hidden="true" />
      <section
        ref={card}
        className={styles.card}
        style={at}
        role="dialog"
        aria-modal="false"
        aria-labelledby="tour-title"
        aria-describedby="tour-text"
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          end();
        }}
      >
        <header>
          <h2 id="tour-title" ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <IconButton label={words.actions.close} icon="close" onClick={end} />
        </header>
        <p id="tour-text">{text}</p>
        <footer>
          <span className={styles.count}>{words.tour.step(steps.indexOf(name) + 1, steps.length)}</span>
          {following === undefined ? (
            <Button look="primary" onClick={end}>
              {words.tour.end}
            </Button>
          ) : (
            <>
              <Button look="quiet" onClick={end}>
                {words.tour.skip}
              </Button>
              <Button look="primary" onClick={() => setName(following)}>
                {words.tour.next}
              </Button>
            </>
          )}
        </footer>
      </section>
    </>
  );
}

/** What a step is about, where it can be seen: parts of the shell say so by `data-tour`. */
function anchorOf(name: StepName): Element | undefined {
  const all = [...document.querySelectorAll(`[data-tour="${name}"]`)];
  return all.find((element) => element.getClientRects().length > 0);
}

/** The steps whose part is there: who may not publish is not shown how. */
function present(): StepName[] {
  return STEPS.filter((name) => anchorOf(name) !== undefined);
}

function nextOf(name: StepName | undefined): StepName | undefined {
  const from = name === undefined ? 0 : STEPS.indexOf(name) + 1;
  return STEPS.slice(from).find((step) => anchorOf(step) !== undefined);
}

/** Where the anchor is, also after the window or the panels changed. */
function useAnchor(name: StepName | undefined): Rect | undefined {
  const [rect, setRect] = useState<Rect>();
  useLayoutEffect(() => {
    if (name === undefined) return;
    const measure = () => {
      const found = anchorOf(name)?.getBoundingClientRect();
      setRect(found && { left: found.left, top: found.top, width: found.width, height: found.height });
    };
    measure();
    const observer = new ResizeObserver(measure);
    const element = anchorOf(name);
    if (element !== undefined) observer.observe(element);
    observer.observe(document.body);
    window.addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", measure);
    };
  }, [name]);
  return rect;
}
