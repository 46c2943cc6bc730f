import { useState } from "react";
import { asApiError } from "../../../api/problem";
import { toolsApi } from "../../../app-state";
import { words } from "../../../glossary";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Checkbox, Choices, Radio } from "../../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field, TextArea } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../../settings/Settings.module.css";
import { newToolFrom } from "./new-tool";

const ANY_OBJECT = '{\n  "type": "object",\n  "properties": {}\n}';

/** Connects a tool. The names of the fields are those of the server, so that what it says stands beside them. */
export function RegisterDialog({ onRegistered, onClose }: { onRegistered(name: string): void; onClose(): void }) {
  const [taken, setTaken] = useState(false);
  const form = useSubmit(async (values) => {
    const tool = newToolFrom(values);
    try {
      onRegistered((await toolsApi.register(tool)).name);
    } catch (error) {
      const refusal = asApiError(error);
      setTaken(refusal.status === 409);
      throw refusal;
    }
  });
  return (
    <Dialog title={words.tools.register} size="wide" onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field
          label="Name"
          name="manifest.name"
          required
          autoComplete="off"
          spellCheck={false}
          hint="An identifier, such as shop.getProduct."
          error={form.errors["manifest.name"]}
        />
        <Field
          label="Title"
          name="manifest.title"
          autoComplete="off"
          hint="For people."
          error={form.errors["manifest.title"]}
        />
        <TextArea
          label="What it is for"
          name="manifest.description"
          required
          rows={2}
          hint="A few sentences that tell a model when and how to use it."
          error={form.errors["manifest.description"]}
        />
        <Field
          label="Address"
          name="endpoint"
          type="url"
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="https://shop.example.com/tools/get-product"
          hint="Called with POST. Stored encrypted; only the host is shown later."
          error={form.errors.endpoint}
        />
        <TextArea
          label="Headers"
          name="staticHeaders"
          rows={2}
          spellCheck={false}
          placeholder="x-api-key: …"
          hint="One per line. Encrypted and never shown again."
          error={form.errors.staticHeaders}
        />
        <Choices title="What it does" error={form.errors["manifest.capability"]}>
          <Radio name="manifest.capability" value="read" label="It only reads data" defaultChecked />
          <Radio
            name="manifest.capability"
            value="write"
            label="It changes something outside the site"
            hint="Each run then needs approval."
          />
        </Choices>
        <Checkbox
          name="manifest.idempotent"
          value="yes"
          label="Safe to repeat: sending the same call twice has no further effect"
        />
        <Checkbox
          name="harmless"
          value="yes"
          label="Harmless: nothing sent to it can be used against the site, so the assistant need not ask first"
        />
        <TextArea
          label="Input, as JSON Schema"
          name="manifest.inputSchema"
          required
          rows={5}
          spellCheck={false}
          defaultValue={ANY_OBJECT}
          error={form.errors["manifest.inputSchema"]}
        />
        <TextArea
          label="Output, as JSON Schema"
          name="manifest.outputSchema"
          required
          rows={5}
          spellCheck={false}
          defaultValue={ANY_OBJECT}
          error={form.errors["manifest.outputSchema"]}
        />
        <Field
          label="Timeout in seconds"
          name="manifest.timeoutMs"
          required
          inputMode="decimal"
          autoComplete="off"
          defaultValue="10"
          error={form.errors["manifest.timeoutMs"]}
        />
        {taken && <Checkbox name="replace" value="yes" label="Replace the existing tool with this name" />}
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            Connect
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
