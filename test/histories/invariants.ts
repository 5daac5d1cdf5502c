import { isDeepStrictEqual } from "node:util";
import { isUnknown } from "../../provider/base/runtime/messages/plainText.ts";
import type { DecisionCode } from "../../provider/resource/decision.ts";
import { UnfinishedError } from "../../provider/resource/lifeCycle.ts";
import { staticExport } from "../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../provider/staticExport/state.ts";
import { contentOf } from "./jobLedger.ts";
import { ProviderProcess } from "./providerProcess.ts";
import type { Report, World } from "./world.ts";

/** The inaccuracy of `Date` headers (whole seconds) and the tolerance of the provider, in milliseconds. */
const CLOCK_TOLERANCE_MS = 12_000;

type Invariant = (report: Report, world: World) => string | undefined | Promise<string | undefined>;

/** The conditions after every operation, with any history. Each returns its violations. */
export const INVARIANTS: Record<string, Invariant> = {
  "one intent starts one job": ({ process, precious, step }) => {
    const { started } = process;
    if (precious !== undefined && started.length > 0) {
      return `${JSON.stringify(started)} started although ${precious} is known`;
    }
    if (step?.inputs.jobId !== undefined && started.length > 0) return "started although a job is given";
    if (started.length > 2) return `${started.length} jobs started`;
    // a start whose reply was lost may be repeated once
    if (started.length === 2 && started[0]?.answered) return "a second start after an answer";
    return undefined;
  },

  "a start is announced": ({ process, step }) => {
    if (process.started.length === 0) return undefined;
    const announced: readonly DecisionCode[] = ["NEW", "REPLACED", "NEW_CONTENT", "STARTED_AGAIN"];
    const code = step?.decision?.code ?? "NEW";
    const isGone = process.reporter.lines.warn.some((line) => line.startsWith("JOB_GONE"));
    return announced.includes(code) || isGone ? undefined : `started because of ${code}`;
  },

  "no job is lost": ({ kind, result, precious, requests }, { engine, service }) => {
    const jobId = engine.resource?.state.outputs.jobId ?? "nothing";
    if (kind !== "up" || result !== "success" || precious === undefined || jobId === precious) {
      return undefined;
    }
    // where the state has a valid link, no request is sent, and the record waits
    if (requests.length === 0 && !service.jobs.has(jobId)) return undefined;
    return `${precious} is forgotten, the link belongs to ${jobId}`;
  },

  "new content is never that of an old job": ({ step, result, spentBefore }, { engine }) => {
    const jobId = engine.resource?.state.outputs.jobId ?? "";
    const code = step?.decision?.code ?? "NEW";
    if (step === undefined || step.inputs.jobId !== undefined || result !== "success") return undefined;
    if (code !== "NEW" && code !== "NEW_CONTENT") return undefined;
    return spentBefore.includes(jobId) ? `${jobId} was exported before` : undefined;
  },

  "Ctrl-C waits for the answer to a start": ({ process, trouble, cancelledForMs }, { latencyMs }) => {
    if (cancelledForMs === undefined || trouble.faults.length > 0 || trouble.limitMs !== undefined) {
      return undefined;
    }
    const lost = process.started.find(({ answered }) => !answered);
    return lost && latencyMs < 1_500 ? `${lost.jobId} is lost` : undefined;
  },

  "a failed job is not read again": ({ step, requests, failedBefore }) => {
    if (step === undefined || step.inputs.jobId !== undefined) return undefined;
    const jobId = failedBefore.find((failed) => requests.some((request) => request.split("/")[2] === failed));
    return jobId === undefined ? undefined : `${jobId} is known to have failed`;
  },

  "a preview shows only what the update returns": ({ kind, result, step, process }, { engine }) => {
    if (kind !== "up" || result !== "success" || !step || !engine.resource) return undefined;
    // a preview sends no request, so it cannot know that a job is gone
    if (process.reporter.lines.warn.some((line) => line.startsWith("JOB_GONE"))) return undefined;
    const outputs: Readonly<Record<string, unknown>> = { ...engine.resource.state.outputs };
    const wrong = Object.entries(step.predicted).filter(
      ([name, value]) => !isUnknown(value) && !isDeepStrictEqual(value, outputs[name]),
    );
    const isMissing = Object.keys(outputs).some((name) => !(name in step.predicted));
    if (step.op !== "same" && isMissing) return `only ${JSON.stringify(step.predicted)} was predicted`;
    return wrong.length > 0 ? `${JSON.stringify(wrong)} was predicted` : undefined;
  },

  "outputs are complete after a success": ({ kind, result, step }, { engine, service, jobs }) => {
    if (kind !== "up" || result !== "success") return undefined;
    const { resource } = engine;
    if (!resource || !step) return "there is no resource";
    const { outputs, bookkeeping } = resource.state;
    if (resource.initErrors.length > 0) return "init errors are left";
    if (bookkeeping.unfinished?.jobId !== undefined && bookkeeping.unfinished.jobId === outputs.jobId) {
      return "it is finished and unfinished";
    }
    const { version, jobId, bundleUrl = "", status, pageCount, expiresAt, renewAfter } = outputs;
    if (version !== (step.inputs.version ?? jobId)) return `version is ${version}`;
    if (step.inputs.jobId !== undefined && jobId !== step.inputs.jobId) {
      return "another job than the given one";
    }
    if (status !== "completed") return `status is ${status}`;
    if (!bundleUrl.startsWith(`https://store.example.test/${jobId}.tar.gz?X-Signature=`)) {
      return `the link is not of ${jobId}: ${bundleUrl}`;
    }
    if (pageCount !== undefined && pageCount !== service.pagesOf(jobId)) return `pageCount is ${pageCount}`;
    if ((expiresAt === undefined) !== (renewAfter === undefined)) return "half of the link's times";
    const startedFor = jobs.startedFor.get(jobId);
    if (startedFor !== contentOf(step.inputs)) {
      return `${jobId} was started for ${startedFor ?? "nobody"}, not for ${contentOf(step.inputs)}`;
    }
    for (const name of ["domain", "renewBefore", "baseUrl", "apiKeyEnv"] as const) {
      if (!isDeepStrictEqual(outputs[name], step.inputs[name])) return `${name} is not echoed`;
    }
    if (!isDeepStrictEqual(outputs.triggers ?? [], step.inputs.triggers ?? [])) {
      return "triggers is not echoed";
    }
    return undefined;
  },

  "a second up is empty": async ({ kind, result, trouble }, world) => {
    const { engine, service } = world;
    if (kind !== "up" || result !== "success" || !engine.resource) return undefined;
    if (trouble.end !== "tidy") return undefined;
    const before = engine.resource;
    const { clock, records } = world;
    service.forgetRequests();
    const process = new ProviderProcess({ clock, service, records, latencyMs: 0 });
    const step = engine.plan(world.program, process.context);
    if (step.op !== "same") return `it would ${step.op}: ${step.decision?.text ?? ""}`;
    const again = await process.run((context) => staticExport.update(context, before.state, step.inputs));
    if (service.requests.length > 0) return `it would ask ${service.requests.join()}`;
    const stored = withTriggers(before.state);
    const wouldStore = again && withTriggers(again.value);
    return isDeepStrictEqual(wouldStore, stored) ? undefined : `it would store ${JSON.stringify(wouldStore)}`;
  },

  "previews and deletions ask nothing": ({ kind, requests, before, result, error }, { engine }) => {
    if (kind !== "preview" && kind !== "destroy") return undefined;
    if (result !== "success") return `it failed: ${String(error)}`;
    if (requests.length > 0) return requests.join();
    return kind === "preview" && engine.resource !== before ? "it changed the state" : undefined;
  },

  "a failed update keeps the outputs": ({ step, result, before }, { engine }) => {
    if (step?.op !== "update" || result !== "failed" || !before) return undefined;
    const after = engine.resource?.state.outputs;
    return isDeepStrictEqual(after, before.state.outputs)
      ? undefined
      : `outputs are ${JSON.stringify(after)}`;
  },

  "a renewal is one request": ({ step, requests, before, result, trouble, process }, { service }) => {
    if (step?.decision?.code !== "RENEW_WINDOW" || !before) return undefined;
    const { jobId } = before.state.outputs;
    const isDisturbed = trouble.faults.length > 0 || trouble.purgeAt !== undefined;
    if (isDisturbed || trouble.interruption || trouble.limitMs !== undefined) return undefined;
    if (!service.jobs.has(jobId)) return undefined;
    const isOne = requests.length === 1 && requests[0] === `POST /jobs/${jobId}/bundle`;
    if (!isOne) return requests.join();
    return process.started.length === 0 && result !== "failed" ? undefined : "it did not work";
  },

  "no dead link is left after a success": ({ kind, result }, { engine, clock }) => {
    const state = engine.resource?.state;
    if (kind !== "up" || result !== "success" || state?.outputs.renewAfter === undefined) return undefined;
    const aheadMs = clock.now() - clock.trueNow();
    const { clockError } = state.bookkeeping;
    // an error is known until the clock goes back before the time at which it was read
    const wasPutBack = clockError !== undefined && clock.now() < clockError.seenAtMs - CLOCK_TOLERANCE_MS;
    const knownMs = clockError && !wasPutBack ? clockError.aheadMs : 0;
    if (Math.abs(aheadMs - knownMs) > CLOCK_TOLERANCE_MS) return undefined; // this machine has not got the news yet
    const dueMs = Date.parse(state.outputs.renewAfter);
    if (clock.trueNow() <= dueMs + CLOCK_TOLERANCE_MS) return undefined;
    return `it was due for renewal at ${state.outputs.renewAfter}, and it is ${new Date(clock.trueNow()).toISOString()}`;
  },

  "a refresh only reads": ({ kind, requests, result, before }, { engine, service }) => {
    if (kind !== "refresh") return undefined;
    if (requests.some((request) => !request.startsWith("GET"))) return requests.join();
    const after = engine.resource;
    if (result !== "success" || !before) return after === before ? undefined : "it changed the state";
    const { outputs, bookkeeping } = before.state;
    if (!after) {
      // an older job that never had a link is useless
      const linked = outputs.bundleUrl === undefined ? [] : [outputs.jobId];
      const alive = [...linked, bookkeeping.unfinished?.jobId ?? outputs.jobId].filter((jobId) =>
        service.jobs.has(jobId),
      );
      return alive.length > 0
        ? `the resource is dropped although the service has ${alive.join()}`
        : undefined;
    }
    const seen = { status: after.state.outputs.status, pageCount: after.state.outputs.pageCount };
    const expected = { ...outputs, ...seen };
    return isDeepStrictEqual({ ...after.state.outputs, ...seen }, expected) ? undefined : "it changed more";
  },

  "no line shows a secret": ({ process, error, step }, { engine, service }) => {
    const { progress, info, warn } = process.reporter.lines;
    const lines = [
      ...progress,
      ...info,
      ...warn,
      error?.message ?? "",
      error?.stack ?? "",
      step?.decision?.text ?? "",
    ];
    const bad = lines.find((line) => line.includes(service.key) || /c4n4ry|X-Signature/.test(line));
    if (bad !== undefined) return bad;
    return JSON.stringify(engine.resource ?? {}).includes(service.key)
      ? "the key is in the state"
      : undefined;
  },

  "an error names the domain and the continued job": ({ error, step, before }) => {
    if (!error) return undefined;
    const domain = step?.inputs.domain ?? before?.state.outputs.domain ?? "";
    if (!error.message.includes(domain)) return `no ${domain}: ${error.message}`;
    if (error.message.includes("internal error")) return error.message;
    if (!(error instanceof UnfinishedError)) return undefined;
    const { bookkeeping } = error.state as StaticExportState;
    const jobId = bookkeeping.unfinished?.jobId ?? "";
    return error.message.includes(jobId) ? undefined : `no ${jobId}: ${error.message}`;
  },

  "nothing is left behind": ({ process, trouble }, { clock }) => {
    const mayBeDead = trouble.interruption?.kind.startsWith("kill") === true;
    if (process.leftovers > 0 && !mayBeDead) return `${process.leftovers} timers or abort listeners`;
    return clock.pending > 0 ? `${clock.pending} timers` : undefined;
  },

  "limits are kept": ({ kind, trouble, elapsedMs, cancelledForMs = 0 }) => {
    const limitMs = kind === "refresh" ? 60_000 : (trouble.limitMs ?? 180_000);
    if (elapsedMs > limitMs + 10) return `it took ${elapsedMs} ms, and had ${limitMs}`;
    return cancelledForMs > 1_500 ? `it went on for ${cancelledForMs} ms after Ctrl-C` : undefined;
  },
};

/** As stored; absent and empty triggers are the same. */
function withTriggers({ outputs, bookkeeping }: StaticExportState): unknown {
  return JSON.parse(JSON.stringify([{ ...outputs, triggers: outputs.triggers ?? [] }, bookkeeping]));
}

/** @throws Error with the history when a condition does not hold */
export async function check(report: Report, world: World): Promise<void> {
  for (const [name, invariant] of Object.entries(INVARIANTS)) {
    const problem = await invariant(report, world);
    if (problem !== undefined) {
      throw new Error(`«${name}» does not hold: ${problem}\n${world.story.join("\n")}`);
    }
  }
}
