// The events of the real CLI for an operation, turned into steps and log lines.
import type { DiagnosticEvent, EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/events.js";
import type { LogLine, OperationResult, OutputValue, Step, StepOp } from "../stack.ts";
import { parseUrn, stackType } from "../urn.ts";
import { readValues } from "./stateDocument.ts";

export interface EventLog {
  onEvent(event: EngineEvent): void;
  steps: Step[];
  logs: LogLine[];
  summary: OperationResult["summary"];
  /** The stack's, as far as the events have them: their secrets are blanked out. */
  outputs: Record<string, OutputValue>;
}

export function createEventLog(onLog: (line: LogLine) => void): EventLog {
  const log: EventLog = { onEvent, steps: [], logs: [], summary: {}, outputs: {} };
  const componentsSeen = new Set<string>();

  function onEvent(event: EngineEvent): void {
    if (event.diagnosticEvent) addLine(event.diagnosticEvent);
    if (event.resourcePreEvent) started(event.resourcePreEvent.metadata);
    if (event.resOutputsEvent) ended(event.resOutputsEvent.metadata);
    if (event.resOpFailedEvent) failed(event.resOpFailedEvent.metadata);
    if (event.summaryEvent) log.summary = event.summaryEvent.resourceChanges;
  }

  function addLine({ urn, message, severity, streamID, ephemeral }: DiagnosticEvent): void {
    if (isDebug(severity) || isAboutPlugins(message)) return;
    const line: LogLine = {
      severity: severity === "info#err" ? "info" : severity,
      message: message.trimEnd(),
      ...(urn && { urn }),
      streamId: streamID ?? 0,
      ephemeral: ephemeral ?? false,
    };
    if (line.message === "") return;
    log.logs.push(line);
    onLog(line);
  }

  /** Components report their outputs late, twice or never: their step counts when it starts. */
  function started(metadata: StepEventMetadata): void {
    if (isCustom(metadata) || metadata.op === "refresh" || metadata.op === "delete") return;
    addStep(metadata);
    componentsSeen.add(`${metadata.op} ${metadata.urn}`);
  }

  function ended(metadata: StepEventMetadata): void {
    if (parseUrn(metadata.urn).type === stackType && metadata.new) {
      log.outputs = readOutputs(metadata.new.outputs);
    }
    if (!componentsSeen.has(`${metadata.op} ${metadata.urn}`)) addStep(metadata);
  }

  function failed(metadata: StepEventMetadata): void {
    const { urn } = metadata;
    const errors = log.logs.filter((line) => line.severity === "error" && line.urn === urn);
    addStep(metadata, errors.map((line) => line.message).join("\n"));
  }

  function addStep({ op, urn, type, diffs }: StepEventMetadata, error?: string): void {
    if (type.startsWith("pulumi:providers:")) return; // default providers are an internal matter of the engine
    log.steps.push({
      op: op as StepOp,
      urn,
      ...(error !== undefined && { error }),
      ...(diffs && diffs.length > 0 && { diff: diffs }),
    });
  }

  return log;
}

/** Missing in the declared type, but in the log. */
const isDebug = (severity: string) => severity === "debug";

/** The CLI's source of a plugin depends on the machine, not on the stack. */
const isAboutPlugins = (message: string) => /^using pulumi-\S+ from \$PATH at /.test(message);

const isCustom = ({ old, new: next }: StepEventMetadata) => (next ?? old)?.custom ?? false;

function readOutputs(outputs: Record<string, unknown>): Record<string, OutputValue> {
  const { values, secretKeys } = readValues(outputs);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { value, secret: secretKeys.includes(name) }]),
  );
}
