import { api } from "../../../app-state";
import type { LimitUse } from "../../../generated/api";
import { words } from "../../../glossary";
import { useResource } from "../../../hooks/use-resource";
import { Card } from "../../../parts/card/Card";
import { ProblemNote } from "../../../parts/problem/Problem";
import settings from "../Settings.module.css";

const said = words.limits;

/** How much the site holds of what is limited, and what is deleted next because of its age. */
export function Limits() {
  const { state } = useResource(api.storageUse);
  if (state.status === "failed") return <ProblemNote problem={state.error} />;
  if (state.status === "loading") return null;
  const { limits, next } = state.value;
  return (
    <Card>
      <div className={settings.titled}>
        <h2 className={settings.name}>{said.title}</h2>
        <dl className={settings.facts} data-labels="long">
          {limits.map((limit) => (
            <Limit key={limit.setting} {...limit} />
          ))}
          <dt>{said.next}</dt>
          <dd>
            {next.isClockTrusted
              ? said.deletes(next.releases.length, next.conversations, next.files)
              : said.clockNotTrusted}
          </dd>
        </dl>
      </div>
    </Card>
  );
}

function Limit({ what, used, most, setting }: LimitUse) {
  const isBytes = setting === "media_bytes_max";
  return (
    <>
      <dt>{said.what[setting] ?? what}</dt>
      <dd>{isBytes ? said.megabytes(used, most) : said.count(used, most)}</dd>
    </>
  );
}
