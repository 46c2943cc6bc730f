import { words } from "../../../glossary";
import { Select } from "../../../parts/field/Field";
import { authorKey } from "../../../site/history";
import { visible } from "../../../words/visible-text";
import styles from "./History.module.css";
import type { HistoryState } from "./use-history";
import type { NameOf } from "./use-names";

const texts = words.history;

type HistoryFiltersProps = Pick<HistoryState, "filter" | "setFilter" | "options"> & { nameOf: NameOf };

/** By whom and on which page. It is there before there is anything to choose from, so that nothing moves. */
export function HistoryFilters({ filter, setFilter, options, nameOf }: HistoryFiltersProps) {
  const { authors, documents } = options;
  return (
    <div className={styles.filters}>
      <Select
        label={texts.who}
        value={filter.author ?? ""}
        onChange={(event) => setFilter({ ...filter, author: event.target.value || undefined })}
      >
        <option value="">{texts.anyone}</option>
        {authors.map((one) => (
          <option key={authorKey(one.author)} value={authorKey(one.author)}>
            {nameOf(one)}
          </option>
        ))}
      </Select>
      <Select
        label={texts.page}
        value={filter.document ?? ""}
        onChange={(event) => setFilter({ ...filter, document: event.target.value || undefined })}
      >
        <option value="">{texts.anyPage}</option>
        {documents.map(({ id, title }) => (
          <option key={id} value={id}>
            {visible(title)}
          </option>
        ))}
      </Select>
    </div>
  );
}
