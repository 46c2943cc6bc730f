import { useLocation } from "wouter";
import { session } from "../app-state";
import { roleName, words } from "../glossary";
import { useAction } from "../hooks/use-action";
import { useSession } from "../hooks/use-session";
import { Avatar } from "../parts/avatar/Avatar";
import { Menu, MenuItem } from "../parts/menu/Menu";
import { ProblemNote } from "../parts/problem/Problem";
import styles from "./AccountMenu.module.css";
import { ThemeChoice } from "./ThemeChoice";

export function AccountMenu() {
  const { user, role } = useSession();
  const [, navigate] = useLocation();
  const leaving = useAction(() => session.signOut());
  const name = user?.name ?? "";
  return (
    <div>
      <ProblemNote problem={leaving.problem} />
      <Menu
        look="person"
        label="Account menu"
        trigger={
          <>
            <Avatar name={name} />
            <span className={styles.who}>
              <span>{name}</span>
              <small>{roleName(role ?? "")}</small>
            </span>
          </>
        }
        header={<p className={styles.email}>{user?.email}</p>}
      >
        <MenuItem icon="person" onSelect={() => navigate("/account")}>
          {words.pages.account}
        </MenuItem>
        <ThemeChoice />
        <MenuItem icon="arrow" onSelect={() => leaving.run()}>
          {words.actions.signOut}
        </MenuItem>
      </Menu>
    </div>
  );
}
