// How tall a frame is: as tall as its page, so that the board scrolls and not the frame. A page that grows with its frame, as one
// with heights in vh does, would grow without end; it gets a window of a usual height and scrolls in there.
/** Beyond it a frame scrolls inside: what is drawn would cost more than it shows. */
const HEIGHT_MAX = 12_000;

/** The height of the window that visitors have at a width. */
export function windowHeight(width: number): number {
  if (width >= 1000) return 900;
  return width >= 600 ? 1024 : 812;
}

export interface Measured {
  /** The height of the page in a frame that is this tall now. */
  content(): number;
  /** Makes the frame this tall. */
  resize(height: number): void;
}

export interface FrameHeight {
  /** Looks again after something changed. */
  follow(): void;
  /** Begins anew, for another page. */
  reset(): void;
}

export function createFrameHeight(width: number, { content, resize }: Measured): FrameHeight {
  const least = windowHeight(width);
  let height = least;
  let grows = false;

  function set(next: number) {
    if (next === height) return;
    height = next;
    resize(next);
  }

  return {
    follow() {
      if (grows) return;
      const wanted = Math.min(Math.max(content(), least), HEIGHT_MAX);
      if (wanted === height) return;
      const isGrowing = wanted > height;
      set(wanted);
      if (isGrowing && wanted < HEIGHT_MAX && content() > wanted + 1) {
        grows = true;
        set(least);
      }
    },
    reset() {
      grows = false;
      set(least);
    },
  };
}

/** The height of a page, whether it is shorter than its frame or overflows it. */
export function contentHeight(document: Document): number {
  const { documentElement: root, body } = document;
  if (root.scrollHeight > root.clientHeight) return root.scrollHeight;
  const bottom = body === null ? 0 : body.getBoundingClientRect().bottom + root.scrollTop;
  return Math.ceil(Math.max(root.getBoundingClientRect().height, bottom));
}
