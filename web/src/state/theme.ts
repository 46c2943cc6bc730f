// Light, dark or whatever the system says. public/theme.js applies the stored choice before the first paint.
import { createStore, type Store } from "./store";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "sitewright.theme";

export interface ThemeStore extends Pick<Store<Theme>, "get" | "subscribe"> {
  choose(theme: Theme): void;
}

export function createThemeStore(
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">,
  root: HTMLElement,
): ThemeStore {
  const store = createStore<Theme>(stored(storage));
  return {
    get: store.get,
    subscribe: store.subscribe,
    choose(theme) {
      store.set(theme);
      if (theme === "system") delete root.dataset.theme;
      else root.dataset.theme = theme;
      try {
        if (theme === "system") storage.removeItem(KEY);
        else storage.setItem(KEY, theme);
      } catch {
        // Without storage the choice lasts until the page is left.
      }
    },
  };
}

function stored(storage: Pick<Storage, "getItem">): Theme {
  try {
    return THEMES.find((theme) => theme === storage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}
