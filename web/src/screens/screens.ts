// Every screen is a chunk of its own, so that a page fetches only what it shows: signing in needs nothing of the editor.
import { type ComponentType, type LazyExoticComponent, lazy } from "react";
import { ApiError, NO_ANSWER } from "../api/problem";
import { words } from "../glossary";

/** A component that is fetched when it is first shown, or earlier by `load`. */
type Screen<P> = LazyExoticComponent<ComponentType<P>> & { load(): void };

export const Frame = screen(() => import("../frame/Frame").then(({ Frame }) => Frame));
export const SetUp = screen(() => import("./setup/SetUp").then(({ SetUp }) => SetUp));
export const SignIn = screen(() => import("./sign-in/SignIn").then(({ SignIn }) => SignIn));
export const Join = screen(() => import("./join/Join").then(({ Join }) => Join));
export const Home = screen(() => import("./home/Home").then(({ Home }) => Home));
export const Site = screen(() => import("./site/Site").then(({ Site }) => Site));
export const Content = screen(() => import("./content/Content").then(({ Content }) => Content));
export const Approvals = screen(() => import("./approvals/Approvals").then(({ Approvals }) => Approvals));
export const Activity = screen(() => import("./activity/Activity").then(({ Activity }) => Activity));
export const AiPage = screen(() => import("./ai/AiPage").then(({ AiPage }) => AiPage));
export const ToolsPage = screen(() => import("./tools/ToolsPage").then(({ ToolsPage }) => ToolsPage));
export const Settings = screen(() => import("./settings/Settings").then(({ Settings }) => Settings));
export const Account = screen(() => import("./account/Account").then(({ Account }) => Account));
export const NotFound = screen(() => import("./NotFound").then(({ NotFound }) => NotFound));

/** By the first part of the address. */
const BY_PATH: Readonly<Record<string, { load(): void }>> = {
  "": Home,
  site: Site,
  content: Content,
  approvals: Approvals,
  activity: Activity,
  ai: AiPage,
  tools: ToolsPage,
  settings: Settings,
  account: Account,
};

/** Starts fetching the screen of an address. Without it the screen would wait for the frame around it. */
export function preloadScreen(location: string): void {
  BY_PATH[location.split("/")[1] ?? ""]?.load();
}

function screen<P>(fetchComponent: () => Promise<ComponentType<P>>): Screen<P> {
  let fetching: Promise<{ default: ComponentType<P> }> | undefined;
  const load = () => {
    fetching ??= fetchComponent().then((component) => ({ default: component }), fail);
    return fetching;
  };
  return Object.assign(lazy(load), {
    load() {
      // A failure is shown by the screen itself, which waits for the same promise.
      load().catch(() => undefined);
    },
  });
}

/** The connection is gone, or the server was updated and has chunks with other names: reloading helps with both. */
function fail(cause: unknown): never {
  throw new ApiError({ status: NO_ANSWER, code: "screen_missing", detail: words.errors.screen, errors: {} }, { cause });
}
