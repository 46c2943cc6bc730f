import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { allowed, type Gate } from "../../permissions";
import { NotFound } from "../NotFound";
import { People } from "./people/People";
import { Roles } from "./roles/Roles";
import styles from "./Settings.module.css";
import { System } from "./system/System";
import { Tokens } from "./tokens/Tokens";

interface Tab extends Gate {
  path: string;
  label: string;
  screen(): React.ReactNode;
}

const TABS: readonly Tab[] = [
  { path: "/settings/people", label: words.pages.people, needs: "users.manage", screen: () => <People /> },
  { path: "/settings/roles", label: words.pages.roles, needs: "users.manage", screen: () => <Roles /> },
  { path: "/settings/tokens", label: words.pages.tokens, screen: () => <Tokens /> },
  { path: "/settings/system", label: words.pages.system, screen: () => <System /> },
];

export function Settings() {
  const { capabilities } = useSession();
  const [location] = useLocation();
  const tabs = allowed(capabilities, TABS);
  const first = tabs[0];
  return (
    <>
      <nav className={styles.tabs} aria-label={words.pages.settings}>
        <ul>
          {tabs.map(({ path, label }) => (
            <li key={path}>
              <Link href={path} aria-current={location === path ? "page" : undefined}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Switch>
        {tabs.map(({ path, screen }) => (
          <Route key={path} path={path}>
            {screen()}
          </Route>
        ))}
        <Route path="/settings">{first && <Redirect to={first.path} replace />}</Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}
