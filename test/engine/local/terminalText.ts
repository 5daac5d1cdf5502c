// The text on the terminal: a line when a change begins, and one when it ends.
import type { OperationKind } from "../operationKind.ts";
import type { LogLine, OperationResult, StepOp } from "../stack.ts";
import { unknownValue } from "../stack.ts";
import { parseUrn } from "../urn.ts";
import { mapSecretsIn, type PropertyMap } from "./propertyValues.ts";

const titles: Record<OperationKind, string> = {
  preview: "Previewing update",
  up: "Updating",
  refresh: "Refreshing",
  destroy: "Destroying",
  import: "Importing",
};

const signs: Record<StepOp, string> = {
  same: "  ",
  create: "+ ",
  update: "~ ",
  delete: "- ",
  replace: "+-",
  "create-replacement": "++",
  "delete-replaced": "--",
  read: "> ",
  refresh: "~ ",
  discard: "< ",
  import: "= ",
};

export const headline = (kind: OperationKind, stack: string) => `${titles[kind]} (${stack}):\n`;

const row = (op: StepOp, urn: string, text: string) => {
  const { type, name } = parseUrn(urn);
  return ` ${signs[op]} ${type} ${name} ${text}\n`;
};

export const startLine = (op: StepOp, urn: string) => row(op, urn, `${op}…`);

export function endLine(
  op: StepOp,
  urn: string,
  outcome: { preview: boolean; failed: boolean; diff: string[] },
) {
  const text = outcome.failed ? `**${op} failed**` : outcome.preview ? op : `${op} done`;
  return row(op, urn, outcome.diff.length > 0 ? `${text} [diff: ${outcome.diff.join(",")}]` : text);
}

/** A line of progress or of a program's output, on the row of its resource. */
export function logText(line: LogLine): string {
  const severity = line.severity === "info" ? "" : `${line.severity}: `;
  const where = line.urn ? `${parseUrn(line.urn).name}  ` : "";
  return `    ${where}${severity}${line.message.trimEnd()}\n`;
}

/** The outputs of the stack; secrets are hidden, at any depth. */
export function outputsText(outputs: PropertyMap): string {
  const lines = Object.entries(mapSecretsIn(outputs, () => "[secret]")).map(([name, value]) => {
    const shown = value === "[secret]" ? value : value === unknownValue ? "[unknown]" : JSON.stringify(value);
    return `    ${name}: ${shown}\n`;
  });
  return lines.length > 0 ? `Outputs:\n${lines.join("")}\n` : "";
}

/** What an operation did to resources, in the CLI's words. */
const pastTenses: Partial<Record<StepOp, string>> = {
  same: "unchanged",
  create: "created",
  update: "updated",
  delete: "deleted",
  replace: "replaced",
  refresh: "refreshed",
  discard: "discarded",
  import: "imported",
};

export function summaryText(summary: OperationResult["summary"], isPreview: boolean): string {
  const lines = (Object.entries(summary) as [StepOp, number][]).map(([op, count]) => {
    const what = isPreview && op !== "same" ? `to ${op}` : (pastTenses[op] ?? op);
    return `    ${`${signs[op].trim()} `.trimStart()}${count} ${what}\n`;
  });
  return lines.length > 0 ? `Resources:\n${lines.join("")}` : "";
}
