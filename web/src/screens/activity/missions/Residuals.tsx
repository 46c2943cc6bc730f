import { useState } from "react";
import { toolsApi } from "../../../app-state";
import type { MissionInfo, Residual } from "../../../generated/api";
import { words } from "../../../glossary";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { TextArea } from "../../../parts/field/Field";
import { Section } from "../../../parts/page/Page";
import { Note, ProblemNote } from "../../../parts/problem/Problem";
import { visible } from "../../../words/visible-text";
import settings from "../../settings/Settings.module.css";
import styles from "./Missions.module.css";

interface ResidualsProps {
  mission: MissionInfo;
  mayAct: boolean;
  onResolved(mission: MissionInfo): void;
}

/** What could not be cancelled, and recording what somebody did about it. */
export function Residuals({ mission, mayAct, onResolved }: ResidualsProps) {
  const [resolving, setResolving] = useState<Residual>();
  return (
    <Section title={words.missions.left} intro={words.missions.leftHint}>
      <Rows label={words.missions.left}>
        {mission.residuals.map((residual) => (
          <li key={residual.leg}>
            <div className={styles.leg}>
              <h3>
                <bdi>{residual.leg}</bdi>
              </h3>
              <p>{visible(residual.reason)}</p>
              {residual.resolved ? (
                <Note tone="calm">
                  {words.missions.resolvedBy(visible(residual.resolved.byName ?? residual.resolved.by))}:{" "}
                  {visible(residual.resolved.note)}
                </Note>
              ) : (
                mayAct && (
                  <div>
                    <Button onClick={() => setResolving(residual)}>
                      {words.missions.resolve}
                      <span className="visually-hidden"> {residual.leg}</span>
                    </Button>
                  </div>
                )
              )}
            </div>
          </li>
        ))}
      </Rows>
      {resolving && (
        <ResolveDialog
          residual={resolving}
          onClose={() => setResolving(undefined)}
          onNote={async (note) => {
            onResolved(await toolsApi.resolveLeg(mission.missionId, resolving.leg, note));
            setResolving(undefined);
          }}
        />
      )}
    </Section>
  );
}

interface ResolveDialogProps {
  residual: Residual;
  onClose(): void;
  onNote(note: string): Promise<void>;
}

function ResolveDialog({ residual, onClose, onNote }: ResolveDialogProps) {
  const form = useSubmit(async (values) => onNote(values.text("note")));
  return (
    <Dialog title={`${words.missions.resolve}: ${residual.leg}`} onClose={onClose}>
      <form className={settings.form} onSubmit={form.onSubmit} noValidate>
        <TextArea
          label={words.missions.note}
          name="note"
          required
          rows={4}
          maxLength={1000}
          hint={words.missions.noteHint}
          error={form.errors.note}
        />
        <ProblemNote problem={form.problem} />
        <DialogActions>
          <Button onClick={onClose}>{words.actions.cancel}</Button>
          <Button look="primary" type="submit" busy={form.pending}>
            {words.missions.resolve}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
