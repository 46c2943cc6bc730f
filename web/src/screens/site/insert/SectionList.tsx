import { useMemo, useState } from "react";
import type { DesignSection } from "../../../api/design-api";
import { designApi } from "../../../app-state";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Empty } from "../../../parts/empty/Empty";
import { LoadingRows } from "../../../parts/loading/Loading";
import { ProblemPanel } from "../../../parts/problem/Problem";
import type { Choice, Insert } from "./InsertPanel";
import styles from "./InsertPanel.module.css";
import type { InsertHost } from "./insertion";
import { panelDrag } from "./panel-drag";
import { SectionPicture } from "./SectionPicture";
import { createSectionPreview, type SectionPreview } from "./section-preview";
import { familiesOf, familyName, findSections } from "./sections";
import { useWantedFocus } from "./use-wanted-focus";

interface SectionListProps {
  host: InsertHost;
  insert: Insert;
}

const texts = words.insert;

/** The sections of the library by picture, in the look of this site. */
export function SectionList({ host, insert }: SectionListProps) {
  const { state, reload } = useResource(designApi.sections);
  if (state.status === "failed") return <ProblemPanel error={state.error} onRetry={reload} />;
  if (state.status === "loading") return <LoadingRows />;
  return <Found sections={state.value} host={host} insert={insert} />;
}

function Found({ sections, host, insert }: SectionListProps & { sections: readonly DesignSection[] }) {
  const search = useWantedFocus<HTMLInputElement>();
  const [query, setQuery] = useState("");
  const [family, setFamily] = useState("");
  const families = useMemo(() => familiesOf(sections), [sections]);
  const preview = useMemo(() => createSectionPreview(host.sync, host.page), [host.sync, host.page]);
  const found = findSections(sections, query, family);
  return (
    <>
      <div className={styles.filter}>
        <input
          ref={search}
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <select aria-label={texts.family} value={family} onChange={(event) => setFamily(event.target.value)}>
          <option value="">{texts.allFamilies}</option>
          {families.map((one) => (
            <option key={one} value={one}>
              {familyName(one)}
            </option>
          ))}
        </select>
        <p className="visually-hidden" role="status">
          {texts.sectionCount(found.length)}
        </p>
      </div>
      {found.length === 0 ? (
        <Empty icon="search" title={texts.nothing}>
          {texts.nothingHint}
        </Empty>
      ) : (
        <ul className={styles.sections} aria-label={texts.parts.sections}>
          {found.map((section) => (
            <Tile key={section.key} {...{ section, host, insert, preview }} />
          ))}
        </ul>
      )}
    </>
  );
}

interface TileProps extends SectionListProps {
  section: DesignSection;
  preview: SectionPreview;
}

function Tile({ section, host, insert, preview }: TileProps) {
  const { name, family, description, html } = section;
  const choice: Choice = { name, kind: "section", html };
  return (
    <li className={styles.tile}>
      <SectionPicture name={name} html={html} preview={preview} />
      <button
        type="button"
        title={description}
        data-ghost={styles.ghost}
        onClick={() => void insert(choice)}
        onPointerDown={panelDrag(host, choice, insert)}
      >
        {name}
        <small>{familyName(family)}</small>
      </button>
    </li>
  );
}
