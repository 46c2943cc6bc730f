import { useCallback, useState } from "react";
import { Link } from "wouter";
import { may } from "../../../access/permissions";
import { toolsApi } from "../../../app-state";
import type { MissionInfo, MissionLeg } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { useReload } from "../../../hooks/use-reload";
import { type Resource, useResource } from "../../../hooks/use-resource";
import { useSession } from "../../../hooks/use-session";
import { Button, ButtonLink } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Confirm } from "../../../parts/dialog/Confirm";
import { Loaded } from "../../../parts/loading/Loading";
import { Page, Section } from "../../../parts/page/Page";
import { Note, ProblemNote } from "../../../parts/problem/Problem";
import { When } from "../../../parts/When";
import { visible } from "../../../words/visible-text";
import { Arguments } from "../../approvals/Arguments";
import styles from "./Missions.module.css";
import { isUnderWay, LegBadge, MissionBadge } from "./mission-words";
import { Residuals } from "./Residuals";

/** One mission: its legs as they stand, what is left of it, and what a person can do about both. */
export function MissionScreen({ id }: { id: string }) {
  const load = useCallback(() => toolsApi.mission(id), [id]);
  const mission = useResource(load);
  const { state } = mission;
  useReload(mission.reload, state.status === "ready" && isUnderWay(state.value));
  return (
    <Page title={words.missions.title} action={<ButtonLink href="/activity/missions">{words.missions.all}</ButtonLink>}>
      <Loaded resource={mission}>{(value) => <Mission mission={value} resource={mission} />}</Loaded>
    </Page>
  );
}

function Mission({ mission, resource }: { mission: MissionInfo; resource: Resource<MissionInfo> }) {
  const { capabilities } = useSession();
  const mayAct = may(capabilities, { needs: "tools.approve" });
  const [stopping, setStopping] = useState(false);
  const [cancelling, setCancelling] = useState<MissionLeg>();
  const show = (changed: MissionInfo) => resource.replace(() => changed);
  const resuming = useAction(async () => show(await toolsApi.resumeMission(mission.missionId)));
  const isRunning = mission.state === "running";
  return (
    <>
      <div className={styles.facts} role="status">
        <MissionBadge mission={mission} />
        <span className={styles.faint}>
          <When at={mission.at} /> · <code>{mission.missionId}</code>
        </span>
      </div>
      {mayAct && isUnderWay(mission) && (
        <div className={styles.buttons}>
          <Button busy={resuming.pending} onClick={() => resuming.run()}>
            {words.missions.resume}
          </Button>
          {isRunning && (
            <Button look="danger-plain" onClick={() => setStopping(true)}>
              {words.missions.stop}
            </Button>
          )}
        </div>
      )}
      <ProblemNote problem={resuming.problem} />
      {mission.residuals.length > 0 && <Residuals mission={mission} mayAct={mayAct} onResolved={show} />}
      <Section title={words.missions.legs}>
        <Rows label={words.missions.legs}>
          {mission.legs.map((leg, index) => {
            const detail = mission.legDetails[index];
            return (
              <li key={leg.id}>
                <Leg
                  leg={leg}
                  tool={detail?.tool ?? ""}
                  onCancel={mayAct && detail?.canBeCancelled ? () => setCancelling(leg) : undefined}
                />
              </li>
            );
          })}
        </Rows>
      </Section>
      {stopping && (
        <Confirm
          title={`${words.missions.stop}?`}
          verb={words.missions.stop}
          action={async () => show(await toolsApi.stopMission(mission.missionId))}
          onClose={() => setStopping(false)}
        >
          {words.missions.stopHint}
        </Confirm>
      )}
      {cancelling && (
        <Confirm
          title={`${words.missions.cancelLeg}: ${cancelling.id}?`}
          verb={words.missions.cancelLeg}
          action={async () => show(await toolsApi.cancelLeg(mission.missionId, cancelling.id))}
          onClose={() => setCancelling(undefined)}
        >
          {words.missions.cancelHint}
        </Confirm>
      )}
    </>
  );
}

interface LegProps {
  leg: MissionLeg;
  tool: string;
  onCancel: (() => void) | undefined;
}

function Leg({ leg, tool, onCancel }: LegProps) {
  return (
    <div className={styles.leg}>
      <h3>
        <bdi>{leg.id}</bdi> <LegBadge leg={leg} />
      </h3>
      <p className={styles.faint}>
        <code>{visible(tool)}</code>
      </p>
      {leg.approval && (
        <Note tone="caution">
          {words.missions.waits}. <Link href={`/approvals/${leg.approval.id}`}>{words.missions.review}</Link>
        </Note>
      )}
      {leg.error && <Note tone="danger">{visible(leg.error.message)}</Note>}
      {leg.output !== undefined && <Arguments value={leg.output} />}
      {onCancel && (
        <div>
          <Button onClick={onCancel}>
            {words.missions.cancelLeg}
            <span className="visually-hidden"> {leg.id}</span>
          </Button>
        </div>
      )}
    </div>
  );
}
