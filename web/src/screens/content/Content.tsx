import { Redirect, Route, Switch } from "wouter";
import { contentApi } from "../../app-state";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { Loaded } from "../../parts/loading/Loading";
import { type Tab, Tabs } from "../../parts/tabs/Tabs";
import { NotFound } from "../NotFound";
import { Bin } from "./Bin";
import { Collections } from "./Collections";
import { Entries } from "./Entries";
import { EntryScreen, NewEntryScreen } from "./EntryScreen";
import { Media } from "./Media";
import { Menus } from "./Menus";
import { useAssistantChanges, useContentAssistant } from "./use-content-assistant";

const { tabs } = words.content;

const TABS: readonly Tab[] = [
  { path: "/content/entries", label: tabs.entries, covers: ["/content/entries", "/content/entry", "/content/new"] },
  { path: "/content/collections", label: tabs.collections },
  { path: "/content/media", label: tabs.media },
  { path: "/content/menus", label: tabs.menus },
  { path: "/content/bin", label: tabs.bin },
];

/** Everything that the site has many of: entries, what they hold, pictures, menus, and what was deleted. */
export function Content() {
  const setup = useResource(contentApi.setup);
  useContentAssistant();
  useAssistantChanges(setup.reload);
  return (
    <>
      <Tabs label={words.content.title} tabs={TABS} />
      <Switch>
        <Route path="/content">
          <Redirect to="/content/entries" replace />
        </Route>
        <Route path="/content/entries/:collection?">
          {({ collection }) => (
            <Loaded resource={setup}>
              {({ collections }) => <Entries key={collection} collections={collections} chosen={collection} />}
            </Loaded>
          )}
        </Route>
        <Route path="/content/new/:collection">
          {({ collection }) => (
            <Loaded resource={setup}>
              {({ collections }) => <NewEntryScreen collections={collections} slug={collection} />}
            </Loaded>
          )}
        </Route>
        <Route path="/content/entry/:id">
          {({ id }) => (
            <Loaded resource={setup}>
              {({ collections }) => <EntryScreen key={id} id={id} collections={collections} />}
            </Loaded>
          )}
        </Route>
        <Route path="/content/collections">
          <Loaded resource={setup}>
            {({ collections }) => <Collections collections={collections} onChanged={setup.reload} />}
          </Loaded>
        </Route>
        <Route path="/content/media">
          <Media />
        </Route>
        <Route path="/content/menus">
          <Loaded resource={setup}>
            {({ navigations }) => <Menus menus={navigations} onChanged={setup.reload} />}
          </Loaded>
        </Route>
        <Route path="/content/bin">
          <Bin />
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
