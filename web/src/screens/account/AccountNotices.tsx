import { api } from "../../app-state";
import type { Notice } from "../../generated/api";
import { words } from "../../glossary";
import { noticeSentence } from "../../glossary/account";
import { useAction } from "../../hooks/use-action";
import { Button, IconButton } from "../../parts/button/Button";
import { Rows } from "../../parts/card/Card";
import { Section } from "../../parts/page/Page";
import { ProblemNote } from "../../parts/problem/Problem";
import { When } from "../../parts/When";
import styles from "./Account.module.css";

/** What was changed about the account, so that its owner notices what they did not do. */
export function AccountNotices({ notices, onDismissed }: { notices: readonly Notice[]; onDismissed(): void }) {
  const dismissing = useAction(async () => {
    await Promise.all(notices.map(({ id }) => api.dismissNotice(id)));
    onDismissed();
  });
  if (notices.length === 0) return null;
  const { title, intro, dismissAll } = words.account.notices;
  return (
    <Section
      title={title}
      intro={intro}
      action={
        notices.length > 1 && (
          <Button busy={dismissing.pending} onClick={() => dismissing.run()}>
            {dismissAll}
          </Button>
        )
      }
    >
      <ProblemNote problem={dismissing.problem} />
      <Rows label={title}>
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
          <p>{sentence}</p>
          <p className={styles.about}>
            <When at={notice.at} />
          </p>
        </div>
        <IconButton
          icon="close"
          label={`${words.account.notices.dismiss} ${sentence}`}
          disabled={dismissing.pending}
          onClick={() => dismissing.run()}
        />
      </div>
      <ProblemNote problem={dismissing.problem} />
    </li>
  );
}
