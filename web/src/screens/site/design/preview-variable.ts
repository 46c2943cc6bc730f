// A colour that is still being picked, on the canvas alone: every step of a picker as a change of the site would fill the history.

/** Shows a variable with another value on the canvas; without one, what the site says holds again. */
export function previewVariable(name: string, value: string | undefined): void {
  for (const frame of document.querySelectorAll<HTMLIFrameElement>("iframe[data-frame]")) {
    const root = frame.contentDocument?.documentElement;
    if (value === undefined) root?.style.removeProperty(`--${name}`);
    else root?.style.setProperty(`--${name}`, value);
  }
}
