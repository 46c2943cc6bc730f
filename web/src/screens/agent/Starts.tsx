import { useState } from "react";
import { Link } from "wouter";
import { isOffline, OFFLINE, type ProvidersState } from "../../agent/providers";
import { agent, agentApi } from "../../app-state";
import type { CommandExamples } from "../../generated/api";
import { words } from "../../glossary";
import { usePanel } from "../../hooks/use-agent";
import { useResource } from "../../hooks/use-resource";
import { Button, ButtonLink } from "../../parts/button/Button";
import { Icon } from "../../parts/icon/Icon";
import styles from "./Starts.module.css";

/** Nobody can be asked yet: the way to a provider, and what works without one. */
export function SetUp() {
  return (
    <div className={styles.start}>
      <section className={styles.lead}>
        <span className={styles.mark}>
          <Icon name="key" />
        </span>
        <h3>{words.agent.setupTitle}</h3>
        <p>{words.agent.setupText}</p>
        <ButtonLink href="/ai" look="primary">
          {words.agent.setupButton}
        </ButtonLink>
      </section>
      <section className={styles.builtIn}>
        <h3>{words.agent.builtIn}</h3>
        <p>{words.agent.builtInText}</p>
        <Button onClick={() => void agent.choose(OFFLINE)}>{words.agent.builtInUse}</Button>
        <Commands onPick={pickOffline} />
      </section>
    </div>
  );
}

export function ChooseModel() {
  return (
    <div className={styles.start}>
      <section className={styles.lead}>
        <span className={styles.mark}>
          <Icon name="assistant" />
        </span>
        <h3>{words.agent.chooseTitle}</h3>
        <p>
          {words.agent.chooseText} <Link href="/ai/defaults">{words.agent.chooseLink}</Link>.
        </p>
      </section>
    </div>
  );
}

/** Somebody can be asked, and nothing was said yet. */
export function Ready({ providers }: { providers: ProvidersState }) {
  const offline = isOffline(providers.choice);
  return (
    <div className={styles.start}>
      <section className={styles.lead}>
        <span className={styles.mark}>
          <Icon name="assistant" />
        </span>
        <h3>{offline ? words.agent.builtInReady : words.agent.readyTitle}</h3>
        <p>{offline ? words.agent.builtInText : words.agent.readyText}</p>
      </section>
      {offline && <Commands onPick={pick} />}
    </div>
  );
}

function pick(example: string) {
  agent.set({ draft: example });
  document.getElementById("assistant-message")?.focus();
}

function pickOffline(example: string) {
  void agent.choose(OFFLINE);
  pick(example);
}

/** What the built-in commands understand, as the server tells it; each example can be taken over. */
function Commands({ onPick }: { onPick(example: string): void }) {
  const { state } = useResource(agentApi.commands);
  const [isWhole, setWhole] = useState(false);
  const { workspace } = usePanel();
  if (state.status !== "ready") return null;
  const all = state.value.flatMap(({ examples }) => examples);
  const first = words.agent.builtInFirst[workspace].flatMap(
    (wanted) => all.find((example) => wanted.test(example)) ?? [],
  );
  return (
    <div className={styles.commands}>
      {!isWhole && <Examples examples={first} onPick={onPick} />}
      {isWhole && state.value.map((group) => <Group key={group.title} group={group} onPick={onPick} />)}
      <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {words.agent.builtInList}
      </Button>
    </div>
  );
}

function Group({ group, onPick }: { group: CommandExamples; onPick(example: string): void }) {
  return (
    <section>
      <h4>{group.title}</h4>
      <Examples examples={group.examples} onPick={onPick} />
    </section>
  );
}

function Examples({ examples, onPick }: { examples: readonly string[]; onPick(example: string): void }) {
  return (
    <ul>
      {examples.map((example) => (
        <li key={example}>
          <button type="button" onClick={() => onPick(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  );
}
