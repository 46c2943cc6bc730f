import { useCallback, useState } from "react";
import { Link } from "wouter";
import type { ApprovalRequest } from "../../agent/events";
import { api } from "../../app-state";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { LoadingRows } from "../../parts/loading/Loading";
import { Note } from "../../parts/problem/Problem";
import type { Entry } from "../../state/inbox";
import { ApprovalCard } from "../approvals/ApprovalCard";
import styles from "./Turn.module.css";

/** What waits for a person, where it was asked for. Calls of one round are on one card. */
export function ApprovalsInTurn({ approvals }: { approvals: readonly ApprovalRequest[] }) {
  const [first] = approvals;
  if (first === undefined) return null;
  return <OneCard key={first.approvalId} request={first} />;
}

function OneCard({ request }: { request: ApprovalRequest }) {
  const { state } = useResource(useCallback(() => api.approval(request.approvalId), [request.approvalId]));
  const [decided, setDecided] = useState<Entry>();
  if (state.status === "loading") return <LoadingRows />;
  if (state.status === "failed") {
    return (
      <Note tone="caution">
        {request.title}. {request.reason} <Link href={pathOf(request)}>{words.approvals.toTheCard}</Link>
      </Note>
    );
  }
  return (
    <div className={styles.approval}>
      <ApprovalCard entry={decided ?? { card: state.value }} onDecided={setDecided} />
    </div>
  );
}

/** The address within the shell. */
function pathOf({ path }: ApprovalRequest): string {
  return path.replace(/^\/admin/, "");
}
