import { aiApi, notices } from "../../../app-state";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { TextArea } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../../settings/Settings.module.css";

/** What people wrote about the site for the assistant. */
export function BriefForm({ brief }: { brief: string }) {
  const form = useSubmit(async (values) => {
    await aiApi.setBrief({ brief: values.text("brief") });
    notices.show("Saved. The assistant will use it from the next request.");
  });
  return (
    <Card>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <TextArea
          label="Instructions"
          name="brief"
          rows={6}
          defaultValue={brief}
          placeholder="A bakery in Leeds. Warm and plain words, no superlatives. Never promise delivery times."
          error={form.errors.brief}
        />
        <ProblemNote problem={form.problem} />
        <div>
          <Button type="submit" busy={form.pending}>
            Save text
          </Button>
        </div>
      </form>
    </Card>
  );
}
