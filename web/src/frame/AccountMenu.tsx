import { useLocation } from "wouter";
import { session } from "../app-state";
import { roleName, words } from "../glossary";
import { useAction } from "../hooks/use-action";
import { useSession } from "../hooks/use-session";
import { Avatar } from "../parts/avatar/Avatar";
import { Popup, PopupItem } from "../parts/popup/Popup";
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
      <Popup
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
      >
        <p className={styles.email}>{user?.email}</p>
        <PopupItem icon="person" onSelect={() => navigate("/account")}>
          {words.pages.account}
        </PopupItem>
        <ThemeChoice />
        <PopupItem icon="arrow" onSelect={() => leaving.run()}>
          {words.actions.signOut}
        </PopupItem>
      </Popup>
    </div>
  );
}
