// What a person sees on the terminal, one line per change, worded like the real CLI's non-interactive display.
import { mapSecretsIn, type PropertyMap } from "./propertyValues.ts";
import { parseUrn } from "../urn.ts";
import type { LogLine, OperationResult, StepOp } from "../stack.ts";
import { unknownValue } from "../stack.ts";
import type { OperationKind } from "../operationKind.ts";

const titles: Record<OperationKind, string> = {
  preview: "Previewing update",
  up: "Updating",
  refresh: "Refreshing",
  destroy: "Destroying",
};

interface Wording {
  sign: string;
  planned: string;
  running: string;
  done: string;
  counted: string;
}

const wordings: Record<StepOp, Wording> = {
  same: { sign: "  ", planned: "", running: "", done: "", counted: "unchanged" },
  create: { sign: "+ ", planned: "create", running: "creating", done: "created", counted: "created" },
  update: { sign: "~ ", planned: "update", running: "updating", done: "updated", counted: "updated" },
  delete: { sign: "- ", planned: "delete", running: "deleting", done: "deleted", counted: "deleted" },
  replace: { sign: "+-", planned: "replace", running: "replacing", done: "replaced", counted: "replaced" },
  "create-replacement": {
    sign: "++",
    planned: "create replacement",
    running: "creating replacement",
    done: "created replacement",
    counted: "created as replacements",
  },
  "delete-replaced": {
    sign: "--",
    planned: "delete original",
    running: "deleting original",
    done: "deleted original",
    counted: "deleted as originals",
  },
  read: { sign: "> ", planned: "read", running: "reading", done: "read", counted: "read" },
  "read-replacement": {
    sign: ">>",
    planned: "read for replacement",
    running: "reading for replacement",
    done: "read for replacement",
    counted: "read as replacements",
  },
  refresh: { sign: "~ ", planned: "refresh", running: "refreshing", done: "refreshed", counted: "refreshed" },
  discard: { sign: "< ", planned: "discard", running: "discarding", done: "discarded", counted: "discarded" },
  "discard-replaced": {
    sign: "<<",
    planned: "discard original",
    running: "discarding original",
    done: "discarded original",
    counted: "discarded as originals",
  },
  "remove-pending-replace": {
    sign: "~ ",
    planned: "complete replace",
    running: "completing replace",
    done: "completed replace",
    counted: "completed",
  },
};

export const headline = (kind: OperationKind, stack: string) => `${titles[kind]} (${stack}):\n`;

const row = (op: StepOp, urn: string, words: string) => {
  const { type, name } = parseUrn(urn);
  return ` ${wordings[op].sign} ${type} ${name} ${words}`.trimEnd() + "\n";
};

export const startLine = (op: StepOp, urn: string) => row(op, urn, wordings[op].running);

export function endLine(
  op: StepOp,
  urn: string,
  outcome: { preview: boolean; failed: boolean; diff: string[] },
) {
  const { planned, running, done } = wordings[op];
  const words = outcome.failed ? `**${running} failed**` : outcome.preview ? planned : done;
  return row(op, urn, outcome.diff.length > 0 ? `${words} [diff: ${outcome.diff.join(",")}]` : words);
}

/** A line of progress or of a program's output, on the row of its resource. */
export function logText(line: LogLine): string {
  const severity = line.severity === "info" ? "" : `${line.severity}: `;
  const where = line.urn ? `${parseUrn(line.urn).name}  ` : "";
  return `    ${where}${severity}${line.message.trimEnd()}\n`;
}

export function diagnosticsText(logs: readonly LogLine[], stackRow: string): string {
  const rows = new Map<string, string[]>();
  for (const line of logs) {
    if (line.ephemeral) continue;
    const title = line.urn ? `${parseUrn(line.urn).type} (${parseUrn(line.urn).name})` : stackRow;
    const severity = line.severity === "info" ? "" : `${line.severity}: `;
    const text = `${severity}${line.message.trimEnd()}`.replaceAll("\n", "\n    ");
    rows.set(title, [...(rows.get(title) ?? []), `    ${text}\n`]);
  }
  if (rows.size === 0) return "";
  return `Diagnostics:\n${[...rows].map(([title, lines]) => `  ${title}:\n${lines.join("")}\n`).join("")}`;
}

/** The outputs of the stack; secrets are not shown, wherever they stand. */
export function outputsText(outputs: PropertyMap): string {
  const lines = Object.entries(mapSecretsIn(outputs, () => "[secret]")).map(([name, value]) => {
    const shown = value === "[secret]" ? value : value === unknownValue ? "[unknown]" : JSON.stringify(value);
    return `    ${name}: ${shown}\n`;
  });
  return lines.length > 0 ? `Outputs:\n${lines.join("")}\n` : "";
}

export function summaryText(summary: OperationResult["summary"], preview: boolean): string {
  const entries = Object.entries(summary) as [StepOp, number][];
  const lines = entries
    .sort(([a], [b]) => Number(a === "same") - Number(b === "same"))
    .map(([op, count]) => {
      if (op === "same") return `    ${count} unchanged\n`;
      const { sign, planned, counted } = wordings[op];
      return `    ${sign.trim()} ${count} ${preview ? `to ${planned}` : counted}\n`;
    });
  return lines.length > 0 ? `Resources:\n${lines.join("")}` : "";
}
