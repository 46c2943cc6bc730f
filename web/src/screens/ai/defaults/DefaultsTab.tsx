import { useState } from "react";
import { may } from "../../../access/permissions";
import { aiApi, notices } from "../../../app-state";
import type { Budget, CredentialInfo, ScopeDefault } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { useResource } from "../../../hooks/use-resource";
import { useSession } from "../../../hooks/use-session";
import { Button, ButtonLink } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded } from "../../../parts/loading/Loading";
import { Page, Section } from "../../../parts/page/Page";
import { ProblemNote } from "../../../parts/problem/Problem";
import { visible } from "../../../words/visible-text";
import settings from "../../settings/Settings.module.css";
import { PARTS, partName } from "../parts";
import { BriefForm } from "./BriefForm";
import { LimitsForm } from "./LimitsForm";
import { ModelDialog } from "./ModelDialog";

interface Chosen {
  credentials: readonly CredentialInfo[];
  defaults: readonly ScopeDefault[];
  budget: Budget;
  brief: string;
}

/** All at once, so that nothing moves while it arrives. */
async function load(): Promise<Chosen> {
  const [{ credentials }, { defaults }, budget, { brief }] = await Promise.all([
    aiApi.credentials(),
    aiApi.defaults(),
    aiApi.budget(),
    aiApi.brief(),
  ]);
  return { credentials, defaults, budget, brief };
}

/** What conversations begin with: the model of each part, what it may use, and what it should know. */
export function DefaultsTab() {
  const chosen = useResource(load);
  const { capabilities } = useSession();
  return (
    <Page
      title={words.ai.tabs.defaults}
      intro="Which model conversations start with, how much the assistant can use, and what it should know about your site."
    >
      <Loaded resource={chosen}>
        {(value) => (
          <>
            <Section
              title="Models"
              intro="One for each area of Sitewright. You can choose another one in a conversation."
            >
              <Models chosen={value} onChanged={chosen.reload} />
            </Section>
            <Section
              title="Limits"
              intro="When a limit is reached, the assistant stops and its changes so far are kept. Time spent waiting for a person does not count."
            >
              <LimitsForm
                budget={value.budget}
                onSaved={(budget) => chosen.replace((shown) => ({ ...shown, budget }))}
              />
            </Section>
            {may(capabilities, { needs: "settings.manage" }) && (
              <Section
                title="About the site"
                intro="What the assistant should know in every conversation: what the site is for, its tone of voice, what it must never say. Agents cannot change it."
              >
                <BriefForm brief={value.brief} />
              </Section>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Models({ chosen: { credentials, defaults }, onChanged }: { chosen: Chosen; onChanged(): void }) {
  const [choosing, setChoosing] = useState<(typeof PARTS)[number]>();
  if (credentials.length === 0) {
    return (
      <Empty
        icon="key"
        title="No provider connected"
        action={<ButtonLink href="/ai/providers">{words.ai.add}</ButtonLink>}
      >
        Until you connect one, the built-in commands answer. The first provider becomes the default for every area.
      </Empty>
    );
  }
  const current = (part: string) => defaults.find(({ scope }) => scope === part);
  return (
    <>
      <Rows label="Models">
        {PARTS.map((part) => (
          <DefaultRow
            key={part}
            part={part}
            chosen={current(part)}
            credentials={credentials}
            onChoose={() => setChoosing(part)}
            onCleared={onChanged}
          />
        ))}
      </Rows>
      {choosing && (
        <ModelDialog
          part={choosing}
          credentials={credentials}
          current={current(choosing)}
          onClose={() => setChoosing(undefined)}
          onSaved={() => {
            setChoosing(undefined);
            onChanged();
          }}
        />
      )}
    </>
  );
}

interface DefaultRowProps {
  part: (typeof PARTS)[number];
  chosen: ScopeDefault | undefined;
  credentials: readonly CredentialInfo[];
  onChoose(): void;
  onCleared(): void;
}

function DefaultRow({ part, chosen, credentials, onChoose, onCleared }: DefaultRowProps) {
  const credential = credentials.find(({ id }) => id === chosen?.credentialId);
  const clearing = useAction(async () => {
    await aiApi.clearDefault(part);
    notices.show(`${partName(part)} no longer has a default model.`);
    onCleared();
  });
  const name = <span className="visually-hidden"> ({partName(part)})</span>;
  return (
    <li>
      <div className={settings.row}>
        <div className={settings.grow}>
          <h3 className={settings.name}>{partName(part)}</h3>
          <p className={settings.about}>
            {chosen === undefined ? (
              words.ai.nothingChosen
            ) : (
              <>
                <bdi>{visible(chosen.modelId)}</bdi> · <bdi>{visible(credential?.label ?? "")}</bdi>
              </>
            )}
          </p>
        </div>
        <Button onClick={onChoose}>
          {chosen === undefined ? words.ai.choose : words.ai.change}
          {name}
        </Button>
        {chosen !== undefined && (
          <Button look="quiet" busy={clearing.pending} onClick={() => clearing.run()}>
            {words.ai.clear}
            {name}
          </Button>
        )}
      </div>
      <ProblemNote problem={clearing.problem} />
    </li>
  );
}
