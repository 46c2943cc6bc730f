import { useState } from "react";
import { may } from "../../access/permissions";
import { words } from "../../glossary";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { useActions } from "../site/use-actions";
import { PublishDialog } from "./PublishDialog";

interface PublishButtonProps {
  /** How many changes of this tab the server does not have yet. */
  unsaved?: number;
  /** Called when visitors see something else. */
  onPublished?(): void;
}

/** Shows the site to everybody, after a look at what would change. Absent for those who may not publish. */
export function PublishButton({ unsaved = 0, onPublished }: PublishButtonProps) {
  const { capabilities } = useSession();
  const [open, setOpen] = useState(false);
  const mayPublish = may(capabilities, { needs: "site.publish" });
  useActions(() => {
    if (!mayPublish) return [];
    const run = () => setOpen(true);
    return [{ id: "site.publish", label: words.publishing.title, group: "site", icon: "publish", run }];
  }, [mayPublish]);
  if (!mayPublish) return null;
  return (
    <>
      <Button look="primary" icon="publish" data-tour="publish" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.publishing.publish}
      </Button>
      {open && <PublishDialog unsaved={unsaved} onPublished={onPublished} onClose={() => setOpen(false)} />}
    </>
  );
}
