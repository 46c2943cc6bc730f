import type { ReactNode } from "react";
import { Link } from "wouter";
import { api } from "../../app-state";
import { roleName, words } from "../../glossary";
import { type Loaded, useResource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Icon } from "../../parts/icon/Icon";
import { Page, Section } from "../../parts/page/Page";
import { may } from "../../permissions";
import styles from "./Home.module.css";

export function Home() {
  const { user, site, role, capabilities } = useSession();
  return (
    <Page
      title={words.pages.home}
      heading={`Welcome, ${user?.name ?? ""}`}
      intro={site && `This is where you look after ${site.name}.`}
    >
      <Section title="Your site">
        <Empty icon="page" title="Nothing is published yet">
          Visitors see a plain page that says so. What you publish will be listed here.
        </Empty>
      </Section>
      <Section title="What is set up">
        <Rows label="What is set up">
          <Step done title="Site" state={site?.name ?? ""} />
          <Step
            done
            title="Your role"
            state={roleName(role ?? "")}
            link={<Link href="/account">{words.pages.account}</Link>}
          />
          {may(capabilities, { needs: "users.manage" }) && <PeopleStep />}
          <TokensStep />
        </Rows>
      </Section>
    </Page>
  );
}

function PeopleStep() {
  const { state } = useResource(api.users);
  const count = state.status === "ready" ? state.value.users.length : 0;
  return (
    <Step
      done={count > 1}
      title={words.pages.people}
      state={wordsFor(state, (value) => words.peopleCount(value.users.length))}
      link={<Link href="/settings/people">{count > 1 ? "See people" : words.actions.invite}</Link>}
    />
  );
}

function TokensStep() {
  const { state } = useResource(api.tokens);
  const count = state.status === "ready" ? state.value.tokens.length : 0;
  return (
    <Step
      done={count > 0}
      title={words.pages.tokens}
      state={wordsFor(state, (value) => words.tokenCount(value.tokens.length))}
      link={<Link href="/settings/tokens">{count > 0 ? "See tokens" : "Create one"}</Link>}
    />
  );
}

function wordsFor<T>(state: Loaded<T>, say: (value: T) => string): string {
  if (state.status === "ready") return say(state.value);
  return state.status === "failed" ? state.error.message : "…";
}

function Step({ done, title, state, link }: { done: boolean; title: string; state: string; link?: ReactNode }) {
  return (
    <li className={styles.step}>
      <span className={styles.sign} data-done={done}>
        {done && <Icon name="check" />}
      </span>
      <strong>{title}</strong>
      <span className={styles.state}>{state}</span>
      <span className={styles.link}>{link}</span>
    </li>
  );
}
