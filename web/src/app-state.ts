// The one instance of everything that outlives a screen. Components reach state through the hooks, not through this file's stores.

import { type Agent, createAgent } from "./agent/agent";
import { createAgentApi } from "./agent/agent-api";
import { type AiApi, createAiApi } from "./api/ai-api";
import { type Api, createApi } from "./api/api";
import { type BreadcrumbsApi, createBreadcrumbsApi } from "./api/breadcrumbs-api";
import { createClient } from "./api/client";
import { type ContentApi, createContentApi } from "./api/content-api";
import { createDesignApi, type DesignApi } from "./api/design-api";
import { createPublishApi, type PublishApi } from "./api/publish-api";
import { createToolsApi, type ToolsApi } from "./api/tools-api";
import { createHistoryApi, type HistoryApi } from "./site/history";
import { createMediaApi, type MediaApi } from "./site/media";
import { createPresence, type Presence } from "./site/presence";
import { createSiteApi, type SiteApi } from "./site/site-api";
import { type Actions, createActions } from "./state/actions";
import { createDismissedStore, type DismissedStore } from "./state/dismissed";
import { createInboxStore, tabSigns } from "./state/inbox";
import { createNoticeStore } from "./state/notices";
import { pause } from "./state/pause";
import { createSessionStore, type SessionStore } from "./state/session";
import { createStepUpStore } from "./state/step-up";
import { createThemeStore } from "./state/theme";

const client = createClient({
  fetch: (input, init) => window.fetch(input, init),
  csrfToken: () => session.csrfToken(),
  onUnauthenticated: (path) => {
    if (!path.startsWith("/admin/api/session")) void session.recheck();
  },
  onStepUp: () => stepUp.ask(),
  onChanged: (path) => {
    if (/^\/admin\/api\/ai\/(credentials|defaults)/.test(path)) agent.refreshProviders();
  },
});

export const api: Api = createApi(client);
export const presence: Presence = createPresence(client);
export const siteApi: SiteApi = createSiteApi(client, presence.tell);
export const historyApi: HistoryApi = createHistoryApi(client);
export const contentApi: ContentApi = createContentApi(client);
export const designApi: DesignApi = createDesignApi(client);
export const publishApi: PublishApi = createPublishApi(client);
export const aiApi: AiApi = createAiApi(client);
export const breadcrumbsApi: BreadcrumbsApi = createBreadcrumbsApi(client);
export const toolsApi: ToolsApi = createToolsApi(client);
export const mediaApi: MediaApi = createMediaApi(client);
export const session: SessionStore = createSessionStore(api);
export const stepUp = createStepUpStore();
export const theme = createThemeStore(window.localStorage, document.documentElement);
export const notices = createNoticeStore();
export const dismissed: DismissedStore = createDismissedStore(api);
export const inbox = createInboxStore(api, tabSigns(window));
/** What can be done in the editor; parts of the shell around it add theirs. */
export const actions: Actions = createActions();
export const agentApi = createAgentApi(client);
export const agent: Agent = createAgent({
  api: agentApi,
  providersApi: aiApi,
  storage: window.localStorage,
  pause,
});
