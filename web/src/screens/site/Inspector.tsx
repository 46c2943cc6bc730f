import { words } from "../../glossary";
import { Empty } from "../../parts/empty/Empty";
import type { PageEntry } from "../../site/model";
import type { Sync } from "../../site/sync";

export interface InspectorProps {
  sync: Sync;
  page: PageEntry;
  editable: boolean;
}

/** What is selected, and what about it can be changed. */
export function Inspector(_: InspectorProps) {
  return <Empty icon="site" title={words.site.nothingSelected} />;
}
