import { useState } from "react";
import type { MenuItem } from "../../api/content-api";
import { contentApi, notices } from "../../app-state";
import type { ListedNavigation } from "../../generated/api";
import { words } from "../../glossary";
import { useSubmit } from "../../hooks/use-submit";
import { Button } from "../../parts/button/Button";
import { Checkbox } from "../../parts/choice/Choice";
import { Dialog, DialogActions } from "../../parts/dialog/Dialog";
import { Field, Select } from "../../parts/field/Field";
import { ProblemNote } from "../../parts/problem/Problem";
import settings from "../settings/Settings.module.css";
import { MenuTarget } from "./MenuTarget";

const said = words.content;

interface MenuDialogProps {
  onSaved(): void;
  onClose(): void;
}

export function MenuDialog({ onSaved, onClose }: MenuDialogProps) {
  const form = useSubmit(async (values) => {
    await contentApi.createMenu({ label: values.text("label"), slug: values.text("slug") });
    notices.show(said.saved);
    onSaved();
    onClose();
  });
  return (
    <Dialog title={said.newMenu} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field label="Name" name="label" required error={form.errors.label} />
        <Field label="Short name" name="slug" required hint="Such as “legal”." error={form.errors.slug} />
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface MenuItemDialogProps extends MenuDialogProps {
  menu: ListedNavigation;
  item: MenuItem | undefined;
}

export function MenuItemDialog({ menu, item, onSaved, onClose }: MenuItemDialogProps) {
  const [target, setTarget] = useState<MenuItem["targetType"]>(item?.targetType ?? "page");
  const form = useSubmit(async (values) => {
    const where = target === "url" ? { url: values.text("url") } : { targetId: values.text("targetId") };
    const shared = {
      label: values.text("label"),
      targetType: target,
      ...(target === "placeholder" ? {} : where),
    };
    if (item === undefined) await contentApi.createMenuItem(menu.id, shared);
    else await contentApi.changeMenuItem(item.id, { ...shared, visible: values.list("visible").length > 0 });
    onSaved();
    onClose();
  });
  return (
    <Dialog title={item?.label ?? said.newItem} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <Field label="Label" name="label" required defaultValue={item?.label} error={form.errors.label} />
        <Select
          label="Links to"
          name="targetType"
          value={target}
          onChange={(event) => setTarget(event.target.value as MenuItem["targetType"])}
        >
          {Object.entries(said.targets).map(([type, label]) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </Select>
        {target === "url" && <Field label="URL" name="url" required defaultValue={item?.url} error={form.errors.url} />}
        {target !== "url" && target !== "placeholder" && (
          <MenuTarget key={target} kind={target} item={item} error={form.errors.targetId} />
        )}
        {item !== undefined && <Checkbox label="Visible" name="visible" value="yes" defaultChecked={item.visible} />}
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {words.actions.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
