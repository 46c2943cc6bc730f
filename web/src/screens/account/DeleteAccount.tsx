import { useState } from "react";
import { api, session } from "../../app-state";
import { words } from "../../glossary";
import { Button } from "../../parts/button/Button";
import { Confirm } from "../../parts/dialog/Confirm";
import { Section } from "../../parts/page/Page";

export function DeleteAccount() {
  const [asking, setAsking] = useState(false);
  const { title, intro, action, question, warning } = words.account.deletion;
  return (
    <Section
      title={title}
      intro={intro}
      action={
        <Button look="danger-plain" onClick={() => setAsking(true)}>
          {action}
        </Button>
      }
    >
      {asking && (
        <Confirm
          title={question}
          verb={action}
          action={async () => {
            await api.deleteAccount();
            await session.leave();
          }}
          onClose={() => setAsking(false)}
        >
          {warning}
        </Confirm>
      )}
    </Section>
  );
}
