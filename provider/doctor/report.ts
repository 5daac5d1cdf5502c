import { printable } from "../base/runtime/messages/plainText";
import { type Finding, isHealthy } from "./finding";
import type { ServiceResult } from "./service";

const STATUS_WIDTH = "failure".length;

/** A line for each finding, its remedy below it, and a summary. */
export function textReport(examination: ServiceResult, version: string): string {
  const { findings } = examination;
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ status, check, message, remedy }) => [
    `${status.padEnd(STATUS_WIDTH)}  ${check.padEnd(width)}  ${printable(message)}`,
    ...(remedy === undefined ? [] : [`${" ".repeat(STATUS_WIDTH + width + 4)}${printable(remedy)}`]),
  ]);
  const count = (wanted: Finding["status"]): number =>
    findings.filter(({ status }) => status === wanted).length;
  const [failures, warnings] = [count("failure"), count("warning")];
  const summary =
    failures + warnings === 0
      ? "No problem was found."
      : `${failures} failed, ${warnings} ${warnings === 1 ? "warning" : "warnings"}.`;
  return [
    `pulumi-docs-hosting ${version}`,
    "",
    ...lines,
    "",
    `${summary} ${startLine(examination)}`,
    "",
  ].join("\n");
}

function startLine({ startedJobId, mayHaveStarted = false }: ServiceResult): string {
  if (startedJobId !== undefined) return `Job ${startedJobId} was started.`;
  return mayHaveStarted ? "A job may have been started." : "No job was started.";
}

/** The same for programs. */
export function jsonReport(examination: ServiceResult, version: string): string {
  const { findings, startedJobId } = examination;
  const report = { version, ok: isHealthy(findings), startedJobId, checks: findings };
  return `${JSON.stringify(report, null, 2)}\n`;
}
