// How large the frames are on the board.
export const ZOOM_MIN = 0.1;
export const ZOOM_MAX = 2;
const STEPS = [0.1, 0.15, 0.25, 0.33, 0.5, 0.67, 0.75, 0.9, 1, 1.25, 1.5, 2];

export function bounded(zoom: number): number {
  return Math.min(Math.max(zoom, ZOOM_MIN), ZOOM_MAX);
}

/** The next step in or out; from in between, the nearest one that way. */
export function stepped(zoom: number, way: "in" | "out"): number {
  const found =
    way === "in" ? STEPS.find((step) => step > zoom + 0.001) : STEPS.findLast((step) => step < zoom - 0.001);
  return found ?? bounded(zoom);
}

/** After the turn of a wheel by so many pixels. */
export function wheeled(zoom: number, deltaY: number): number {
  return bounded(zoom * Math.exp(-Math.max(-100, Math.min(deltaY, 100)) / 300));
}

/** At which frames of these widths fit into a room, each with a gap beside it. */
export function fitting(room: number, widths: readonly number[], gap: number): number {
  const gaps = gap * (widths.length + 1);
  const total = widths.reduce((sum, width) => sum + width, 0);
  return bounded(Math.min((room - gaps) / total, 1));
}

/** Where the board must be scrolled to, so that what was at a point of it stays there. */
export function scrolledTo(scroll: number, at: number, before: number, after: number): number {
  return ((scroll + at) / before) * after - at;
}

export function percent(zoom: number): string {
  return `${Math.round(zoom * 100)}%`;
}
