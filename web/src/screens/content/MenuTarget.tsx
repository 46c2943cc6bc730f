import type { MenuItem } from "../../api/content-api";
import { contentApi, mediaApi } from "../../app-state";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { Select } from "../../parts/field/Field";
import { loadPages } from "../../site/overview";

/** What an item of a menu can lead to, by name. */
type TargetKind = Extract<MenuItem["targetType"], "page" | "entry" | "media">;

interface Target {
  id: string;
  name: string;
}

const TARGETS: Readonly<Record<TargetKind, () => Promise<readonly Target[]>>> = {
  page: async () => (await loadPages()).map(({ id, title, permalink }) => ({ id, name: `${title} (${permalink})` })),
  entry: async () => {
    const { collections } = await contentApi.setup();
    const lists = await Promise.all(collections.map(({ slug }) => contentApi.entries(slug)));
    return lists.flatMap(({ items }) => items.map(({ id, title }) => ({ id, name: title })));
  },
  media: async () => (await mediaApi.list({})).media,
};

interface MenuTargetProps {
  kind: TargetKind;
  item: MenuItem | undefined;
  error: string | undefined;
}

/** Chooses where an item leads. One that is not among the first of a long list stays what it is. */
export function MenuTarget({ kind, item, error }: MenuTargetProps) {
  const { state } = useResource(TARGETS[kind]);
  const listed = state.status === "ready" ? state.value : [];
  const current = item?.targetType === kind ? item.targetId : undefined;
  const isListed = current === undefined || listed.some(({ id }) => id === current);
  const problem = state.status === "failed" ? state.error.message : undefined;
  return (
    // Made anew with its options, so that it shows the current one.
    <Select
      key={state.status}
      label={words.content.targets[kind]}
      name="targetId"
      required
      defaultValue={current ?? ""}
      error={error ?? problem}
    >
      {current === undefined && <option value="">{words.content.chooseTarget}</option>}
      {!isListed && <option value={current}>{item?.href ?? current}</option>}
      {listed.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
