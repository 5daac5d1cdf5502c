// The result of an operation: steps, log lines, the text on the terminal, and success or failure.
import { stripVTControlCharacters } from "node:util";
import type { OperationKind } from "../operationKind.ts";
import type { LogLine, OperationOptions, OperationResult, OutputValue, Step, StepOp } from "../stack.ts";
import type { StopReason } from "./stopRequest.ts";
import { endLine, headline, logText, startLine, summaryText } from "./terminalText.ts";

/** A replacement is counted once, as «replace». */
const notCounted: readonly StepOp[] = ["create-replacement", "delete-replaced", "refresh"];

export class Report {
  readonly steps: Step[] = [];
  readonly logs: LogLine[] = [];
  readonly summary: OperationResult["summary"] = {};
  #text = "";
  #preview: boolean;
  #options: OperationOptions;
  #silent = false;

  constructor(kind: OperationKind, stack: string, options: OperationOptions) {
    this.#preview = kind === "preview";
    this.#options = options;
    this.#print(headline(kind, stack));
  }

  /** Later results of the steps under way are not reported. */
  silence(): void {
    this.#silent = true;
  }

  log(line: Partial<LogLine> & { message: string }): void {
    if (this.#silent) return;
    const message = stripVTControlCharacters(line.message);
    const full: LogLine = { severity: "info", streamId: 0, ephemeral: false, ...line, message };
    this.logs.push(full);
    this.#options.onLog?.(full);
    this.#print(logText(full));
  }

  error(message: string, urn?: string): void {
    this.log({ severity: "error", message, ...(urn && { urn }) });
  }

  started(op: StepOp, urn: string): void {
    if (!this.#preview && !this.#silent && op !== "same") this.#print(startLine(op, urn));
  }

  ended({ diff = [], ...step }: Step, count = true): void {
    if (this.#silent) return;
    if (step.error !== undefined) step.error = step.error.trimEnd();
    const reported = diff.length > 0 ? { ...step, diff } : step;
    this.steps.push(reported);
    if (step.error !== undefined) this.error(step.error, step.urn);
    else if (count && !notCounted.includes(step.op)) {
      this.summary[step.op] = (this.summary[step.op] ?? 0) + 1;
    }
    if (step.op === "same" && step.error === undefined) return;
    const outcome = { preview: this.#preview, failed: step.error !== undefined, diff };
    this.#print(endLine(step.op, step.urn, outcome));
  }

  finish(
    failure: StopReason | undefined,
    outputs: Record<string, OutputValue>,
    outputsText: string,
  ): OperationResult {
    this.#silent = false;
    if (failure === "failed" || failure === "canceled") {
      this.error(`${this.#preview ? "preview" : "update"} ${failure}`); // the real CLI's words for every operation
    }
    this.#print(outputsText);
    this.#print(summaryText(this.summary, this.#preview));
    const errors = this.logs.filter((line) => line.severity === "error").map((line) => line.message);
    const { steps, summary, logs } = this;
    const text = this.#text;
    if (failure === undefined) return { ok: true, summary, steps, outputs, logs, text };
    return { ok: false, error: errors.join("\n"), summary, steps, outputs, logs, text };
  }

  #print(text: string): void {
    if (!text) return;
    this.#text += text;
    this.#options.onText?.(text);
  }
}
