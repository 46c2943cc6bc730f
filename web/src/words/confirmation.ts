// The preview of a structured confirmation: what would be sent, or the legs of a mission. A vendor's document wrote its labels.
import type { CardField } from "../generated/api";
import { words } from "../glossary";

export interface ConfirmationLeg {
  id: string;
  title: string;
  fields: CardField[];
  takenBackBy?: string;
  /** Another leg fills in some of its values, so it asks again when they are known. */
  asksAgain: boolean;
}

export interface ConfirmationView {
  kind: string;
  fields: CardField[];
  legs: ConfirmationLeg[];
  /** The sums of the amounts that are named, with their currency. */
  totals: string[];
  host?: string;
  cancels?: string;
  personalData: string[];
}

/** `undefined` for the preview of anything else. */
export function confirmationOf(preview: unknown): ConfirmationView | undefined {
  const { kind, fields, legs, total, host, cancels, personalData } = objectOf(preview);
  if (typeof kind !== "string" || !kind.startsWith("structured-")) return undefined;
  return {
    kind,
    fields: listOf(fields).map((field) => {
      const { label, value } = objectOf(field);
      return { label: textOf(label), value: textOf(value) };
    }),
    legs: listOf(legs).map(legOf),
    totals: Object.entries(objectOf(total)).map(([currency, sum]) => `${textOf(sum)} ${currency}`.trim()),
    ...optional("host", host),
    ...optional("cancels", cancels),
    personalData: listOf(personalData).map(textOf),
  };
}

function legOf(leg: unknown): ConfirmationLeg {
  const { id, title, tool, arguments: args, takenBackBy, asksAgain } = objectOf(leg);
  return {
    id: textOf(id),
    title: typeof title === "string" && title !== "" ? title : textOf(tool),
    fields: Object.entries(objectOf(args)).map(([name, value]) => ({ label: name, value: textOf(value) })),
    ...optional("takenBackBy", takenBackBy),
    asksAgain: asksAgain === true,
  };
}

function optional<Name extends string>(name: Name, value: unknown): { [name in Name]?: string } {
  return typeof value === "string" && value !== "" ? ({ [name]: value } as { [name in Name]?: string }) : {};
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? words.approvals.values.yes : words.approvals.values.no;
  return value === undefined || value === null ? words.approvals.values.nothing : JSON.stringify(value);
}
