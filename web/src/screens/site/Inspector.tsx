import { useEffect, useMemo, useSyncExternalStore } from "react";
import { words } from "../../glossary";
import { Empty } from "../../parts/empty/Empty";
import type { PageEntry } from "../../site/model";
import { type NodePlace, selection } from "../../site/selection";
import { tokensOf } from "../../site/site-tokens";
import { scopeOf, shownState } from "../../site/style-scope";
import type { Sync } from "../../site/sync";
import { AppearanceSection } from "./inspector/AppearanceSection";
import { ClassSection } from "./inspector/ClassSection";
import { EffectsSection } from "./inspector/EffectsSection";
import type { Selected } from "./inspector/element";
import { FormNotice } from "./inspector/FormNotice";
import { ImageSection } from "./inspector/ImageSection";
import styles from "./inspector/Inspector.module.css";
import { useInForce } from "./inspector/in-force";
import { LayoutSection } from "./inspector/LayoutSection";
import { LinkSection } from "./inspector/LinkSection";
import { NameHeader } from "./inspector/NameHeader";
import { OwnCssSection } from "./inspector/OwnCssSection";
import { RightsSection } from "./inspector/RightsSection";
import { Section } from "./inspector/Row";
import { ScopeBar } from "./inspector/ScopeBar";
import { SizeSection } from "./inspector/SizeSection";
import { SpaceSection } from "./inspector/SpaceSection";
import { TemplateNotice } from "./inspector/TemplateNotice";
import { TextSection } from "./inspector/TextSection";
import { TypeSection } from "./inspector/TypeSection";
import { useVersion } from "./use-sync";

export interface InspectorProps {
  sync: Sync;
  page: PageEntry;
  editable: boolean;
}

/** What is selected, and what about it can be changed. */
export function Inspector({ sync, page, editable }: InspectorProps) {
  const { node: place, breakpoint } = useSyncExternalStore(selection.subscribe, selection.get);
  if (place === undefined) return <Nothing title={words.site.nothingSelected}>{words.inspector.pick}</Nothing>;
  // Another element has drafts and open palettes of its own.
  const key = `${place.body} ${place.node}`;
  return (
    <>
      <TemplateNotice sync={sync} place={place} page={page.id} />
      <Element key={key} sync={sync} place={place} breakpoint={breakpoint} editable={editable} />
    </>
  );
}

interface ElementProps {
  sync: Sync;
  place: NodePlace;
  breakpoint: string | undefined;
  editable: boolean;
}

function Element({ sync, place, breakpoint, editable }: ElementProps) {
  const version = useVersion(sync);
  const state = useSyncExternalStore(shownState.subscribe, shownState.get);
  const inForce = useInForce(place, `${version} ${breakpoint} ${state}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version may have other tokens and breakpoints.
  const { tokens, breakpoints } = useMemo(
    () => ({ tokens: tokensOf(sync.copy()), breakpoints: sync.copy().breakpoints() }),
    [sync, version],
  );
  // Another element begins at rest.
  useEffect(() => () => shownState.set(undefined), []);
  const node = sync.copy().node(place.body, place.node);
  if (node === undefined) return <Nothing title={words.inspector.notHere} />;
  const scope = scopeOf(breakpoints, breakpoint, state);
  const selected: Selected = { sync, place, node, tokens, breakpoints, scope, inForce };
  const isElement = node.kind === "element";
  return (
    <fieldset className={styles.inspector} disabled={!editable}>
      <legend className="visually-hidden">{words.site.inspector}</legend>
      {!editable && <p className={styles.readOnly}>{words.site.readOnly}</p>}
      <div className={styles.top}>
        <NameHeader selected={selected} />
        {isElement && <ScopeBar scope={scope} />}
      </div>
      <FormNotice selected={selected} />
      <Content selected={selected} />
      {/* Drafts and open palettes belong to the scope they were begun in. */}
      {isElement && <Styles key={`${scope.breakpoint?.id} ${scope.state}`} selected={selected} />}
      <Section title={words.inspector.rights}>
        <RightsSection selected={selected} />
      </Section>
    </fieldset>
  );
}

const PICTURES = new Set(["img", "picture", "video", "iframe", "hr", "svg"]);

function Styles({ selected }: { selected: Selected }) {
  const titles = words.design.sections;
  const holdsText = !PICTURES.has(selected.node.tag ?? "");
  return (
    <>
      {holdsText && (
        <Section title={titles.type}>
          <TypeSection selected={selected} />
        </Section>
      )}
      <Section title={titles.appearance}>
        <AppearanceSection selected={selected} />
      </Section>
      <Section title={words.inspector.space}>
        <SpaceSection selected={selected} />
      </Section>
      <Section title={titles.layout}>
        <LayoutSection selected={selected} />
      </Section>
      <Section title={titles.size}>
        <SizeSection selected={selected} />
      </Section>
      <Section title={titles.effects}>
        <EffectsSection selected={selected} />
      </Section>
      <Section title={words.inspector.own}>
        <OwnCssSection selected={selected} />
        <ClassSection selected={selected} />
      </Section>
    </>
  );
}

function Nothing({ title, children }: { title: string; children?: string }) {
  return (
    <div className={styles.nothing}>
      <Empty icon="site" title={title}>
        {children}
      </Empty>
    </div>
  );
}

function Content({ selected }: { selected: Selected }) {
  const { text, tag } = selected.node;
  const isLink = tag === "a" || tag === "area";
  const isImage = tag === "img";
  if (text === undefined && !isLink && !isImage) return null;
  return (
    <Section title={words.inspector.content}>
      <TextSection selected={selected} />
      {isLink && <LinkSection selected={selected} />}
      {isImage && <ImageSection selected={selected} />}
    </Section>
  );
}
