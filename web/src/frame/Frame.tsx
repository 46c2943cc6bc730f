import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { may } from "../access/permissions";
import { inbox } from "../app-state";
import { words } from "../glossary";
import { useInbox } from "../hooks/use-inbox";
import { useSession } from "../hooks/use-session";
import { IconButton } from "../parts/button/Button";
import { Mark } from "../parts/mark/Mark";
import { Notices } from "../parts/notices/Notices";
import { Dock, DockToggle, useDockRoom, useMayChat } from "../screens/agent/Dock";
import { StepUp } from "../screens/step-up/StepUpDialog";
import { waitingIn } from "../state/inbox";
import { AccountMenu } from "./AccountMenu";
import styles from "./Frame.module.css";
import { Navigation } from "./Navigation";

/** What stays while the pages change: the way around, the person, and where confirmations appear. */
export function Frame({ children }: { children: ReactNode }) {
  const { site, capabilities } = useSession();
  const looksAfterInbox = may(capabilities, { needs: "tools.read" });
  const waiting = waitingIn(useInbox());
  const [location] = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  const mayChat = useMayChat();
  const dock = useDockRoom(mayChat);
  const main = useRef<HTMLElement>(null);
  useArrival(main, location);
  useEffect(() => (looksAfterInbox ? inbox.watch() : undefined), [looksAfterInbox]);
  // Remembering the page it was opened on closes the menu by itself when a link in it is followed.
  const open = openAt === location;

  return (
    <div className={styles.frame} style={{ paddingInlineEnd: dock.width }}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <header className={styles.side} data-open={open} inert={dock.isCovered}>
        <div className={styles.bar}>
          <Link href="/" className={styles.brand}>
            <Mark />
            <span>{site?.name ?? words.product}</span>
          </Link>
          {mayChat && <DockToggle look="icon" />}
          <div className={styles.toggle} data-waiting={waiting > 0}>
            <IconButton
              label={menuLabel(open, waiting)}
              icon={open ? "close" : "menu"}
              aria-expanded={open}
              aria-controls="menu"
              onClick={() => setOpenAt(open ? undefined : location)}
            />
          </div>
        </div>
        <div className={styles.menu} id="menu">
          <Navigation />
          <div>
            {mayChat && <DockToggle look="entry" />}
            <AccountMenu />
          </div>
        </div>
      </header>
      <main className={styles.main} id="content" ref={main} tabIndex={-1} inert={dock.isCovered}>
        <div className={styles.column}>{children}</div>
      </main>
      <Notices />
      <StepUp />
      {mayChat && <Dock />}
    </div>
  );
}

function menuLabel(open: boolean, waiting: number): string {
  if (open) return "Close menu";
  return waiting === 0 ? "Open menu" : `Open menu, ${words.approvals.waitingCount(waiting)}`;
}

/** Arrives as loading a document would: at the top, with the focus on the new page. The first page keeps the browser's own focus. */
function useArrival(main: RefObject<HTMLElement | null>, location: string) {
  const shown = useRef(location);
  useEffect(() => {
    window.scrollTo(0, 0);
    if (shown.current === location) return;
    shown.current = location;
    main.current?.focus({ preventScroll: true });
  }, [main, location]);
}
