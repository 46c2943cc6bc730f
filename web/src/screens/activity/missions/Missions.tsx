import { useCallback, useState } from "react";
import { Link } from "wouter";
import { toolsApi } from "../../../app-state";
import type { MissionInfo } from "../../../generated/api";
import { words } from "../../../glossary";
import { useReload } from "../../../hooks/use-reload";
import { useResource } from "../../../hooks/use-resource";
import { Button } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Empty } from "../../../parts/empty/Empty";
import { Loaded } from "../../../parts/loading/Loading";
import { Page } from "../../../parts/page/Page";
import { When } from "../../../parts/When";
import styles from "./Missions.module.css";
import { LegBadge, MissionBadge } from "./mission-words";

const PAGE_SIZE = 50;
/** The most that the server lists. */
const LISTED_MAX = 200;

/** The missions of the site, the newest first. */
export function Missions() {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const missions = useResource(useCallback(() => toolsApi.missions({ limit }), [limit]));
  useReload(missions.reload);
  return (
    <Page title={words.missions.title} intro={words.missions.intro}>
      <Loaded resource={missions}>
        {(value) =>
          value.missions.length === 0 ? (
            <Empty icon="clock" title={words.missions.empty}>
              {words.missions.emptyHint}
            </Empty>
          ) : (
            <>
              <Rows label={words.missions.title}>
                {value.missions.map((mission) => (
                  <li key={mission.missionId}>
                    <MissionRow mission={mission} />
                  </li>
                ))}
              </Rows>
              {value.missions.length === limit && limit < LISTED_MAX && (
                <Button onClick={() => setLimit(LISTED_MAX)}>{words.actions.showOlder}</Button>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function MissionRow({ mission }: { mission: MissionInfo }) {
  return (
    <div className={styles.row}>
      <h2>
        <Link href={`/activity/missions/${encodeURIComponent(mission.missionId)}`}>
          {mission.legs.map(({ id }) => id).join(", ")}
        </Link>{" "}
        <MissionBadge mission={mission} />
      </h2>
      <p className={styles.faint}>
        <When at={mission.at} />
      </p>
      <ul className={styles.states}>
        {mission.legs.map((leg) => (
          <li key={leg.id}>
            <bdi>{leg.id}</bdi> <LegBadge leg={leg} />
          </li>
        ))}
      </ul>
    </div>
  );
}
