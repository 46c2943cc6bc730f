import { api } from "../../app-state";
import type { Notice } from "../../generated/api";
import { words } from "../../glossary";
import { noticeSentence } from "../../glossary/account";
import { useAction } from "../../hooks/use-action";
import { Button } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Section } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import styles from "./Account.module.css";

/** What was changed about the account, so that its owner notices what they did not do. */
export function AccountNotices({ notices, onDismissed }: { notices: readonly Notice[]; onDismissed(): void }) {
  if (notices.length === 0) return null;
  return (
    <Section title={words.account.notices.title} intro={words.account.notices.intro}>
      <Rows label={words.account.notices.title}>
        {notices.map((notice) => (
          <NoticeRow key={notice.id} notice={notice} onDismissed={onDismissed} />
        ))}
      </Rows>
    </Section>
  );
}

function NoticeRow({ notice, onDismissed }: { notice: Notice; onDismissed(): void }) {
  const sentence = noticeSentence(notice);
  const dismissing = useAction(async () => {
    await api.dismissNotice(notice.id);
    onDismissed();
  });
  return (
    <li>
      <div className={styles.device}>
        <div>
          <p className={styles.name}>{sentence}</p>
          <p className={styles.about}>
            <When at={notice.at} />
          </p>
        </div>
        <Button busy={dismissing.pending} onClick={() => dismissing.run()}>
          {words.account.notices.dismiss}
          <span className="visually-hidden"> {sentence}</span>
        </Button>
      </div>
      <ProblemNote problem={dismissing.problem} />
    </li>
  );
}
