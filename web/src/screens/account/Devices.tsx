import { api, notices } from "../../app-state";
import type { SessionInfo } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { Badge } from "../../parts/badge/Badge";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import { deviceName } from "../../words/device-name";
import styles from "./Account.module.css";

export function Devices({ sessions, onEnded }: { sessions: readonly SessionInfo[]; onEnded(): void }) {
  return (
    <Rows label="Where you’re signed in">
      {sessions.map((session) => (
        <Device key={session.id} session={session} onEnded={onEnded} />
      ))}
    </Rows>
  );
}

function Device({ session, onEnded }: { session: SessionInfo; onEnded(): void }) {
  const name = deviceName(session.userAgent ?? "");
  const ending = useAction(async () => {
    await api.endSession(session.id);
    notices.show(`Signed out on ${name}.`);
    onEnded();
  });
  return (
    <li>
      <div className={styles.device}>
        <div>
          <p className={styles.name}>
            {name} {session.current && <Badge tone="accent">{words.states.thisDevice}</Badge>}
          </p>
          <p className={styles.about}>
            {session.address} · last used <When at={session.lastSeenAt} /> · signed in <When at={session.createdAt} />
          </p>
        </div>
        {!session.current && (
          <Button busy={ending.pending} onClick={() => ending.run()}>
            {words.actions.signOut}
            <span className="visually-hidden"> on {name}</span>
          </Button>
        )}
      </div>
      <ProblemNote problem={ending.problem} />
    </li>
  );
}
