// A plan that was handed in, as far as a person looks at it. Its operations are the core's and stay as they are.

export interface PlannedStep {
  index: number;
  sentence: string;
  /** What would be different, beyond the sentence. */
  reasons: readonly string[];
  /** Earlier steps that make what this one is about. */
  dependsOn: readonly number[];
}

export interface EditPlan {
  steps: readonly PlannedStep[];
  cautions: readonly string[];
}

interface Told {
  plan?: { ops?: unknown[]; change_log?: string[] };
  outcomes?: { index: number; diff?: { sentence: string }[] }[];
  cautions?: { reason: string }[];
}

const REASONS_MAX = 4;

export function planOf(value: unknown): EditPlan {
  const { plan, outcomes = [], cautions = [] } = (value ?? {}) as Told;
  const ops = plan?.ops ?? [];
  const log = plan?.change_log ?? [];
  const made = new Map<string, number>();
  const steps = ops.map((op, index): PlannedStep => {
    const dependsOn = [...new Set(referencesIn(op).flatMap((name) => made.get(name) ?? []))];
    const name: unknown = Reflect.get(op as object, "as");
    if (typeof name === "string") made.set(name, index);
    const diff = outcomes.find((outcome) => outcome.index === index)?.diff ?? [];
    const sentences = [...new Set(diff.map(({ sentence }) => sentence))];
    // With a sentence for each step, that sentence; else what its first difference says.
    const sentence = (log.length === ops.length ? log[index] : undefined) ?? sentences[0] ?? kindOf(op);
    const reasons = sentences.filter((one) => one !== sentence).slice(0, REASONS_MAX);
    return { index, sentence, reasons, dependsOn };
  });
  return { steps, cautions: cautions.map(({ reason }) => reason) };
}

/** The choice after one more step is taken or left out: what a step needs comes with it, and goes with what it needs. */
export function choose(
  steps: readonly PlannedStep[],
  chosen: ReadonlySet<number>,
  index: number,
  isOn: boolean,
): ReadonlySet<number> {
  const next = new Set(chosen);
  const follow = (at: number) => {
    if (next.has(at) === isOn) return;
    if (isOn) next.add(at);
    else next.delete(at);
    const related = isOn
      ? (steps.find((step) => step.index === at)?.dependsOn ?? [])
      : steps.filter(({ dependsOn }) => dependsOn.includes(at)).map((step) => step.index);
    for (const other of related) follow(other);
  };
  follow(index);
  return next;
}

/** Whether a plan was refused because the site has changed since. A plan that was accepted before is a conflict, too. */
export function isOutdated(error: { code: string; details?: unknown } | null | undefined): boolean {
  if (error?.code !== "conflict") return false;
  return !(typeof error.details === "object" && error.details !== null && "accepted" in error.details);
}

/** The names of what other steps make, anywhere in a step. */
function referencesIn(value: unknown): string[] {
  if (typeof value === "string") return /^@[\w-]+$/.test(value) ? [value.slice(1)] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(referencesIn);
}

function kindOf(op: unknown): string {
  const kind: unknown = typeof op === "object" && op !== null ? Reflect.get(op, "op") : undefined;
  return String(kind ?? "").replaceAll("_", " ");
}
