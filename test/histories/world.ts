import type { Context } from "../../provider/resource/context.ts";
import type { StaticExportInputs } from "../../provider/staticExport/inputs.ts";
import { staticExport } from "../../provider/staticExport/lifeCycle.ts";
import { MemoryRecords } from "../simulation/memoryRecords.ts";
import type { ScriptedReply } from "../simulation/scriptedFetch.ts";
import { SimulatedService } from "../simulation/simulatedService.ts";
import { VirtualClock } from "../simulation/virtualClock.ts";
import { EngineModel, type Step, type StoredResource } from "./engine.ts";
import { JobLedger } from "./jobLedger.ts";
import { type Interruption, ProviderProcess } from "./providerProcess.ts";

/** A fault between process and service: the requests from `first` on, `times` of them, get this in place of a reply. */
export interface Fault {
  readonly first: number;
  readonly times: number;
  readonly reply: ScriptedReply;
  /** The service processed the request, and only the reply was lost. */
  readonly processed: boolean;
}

/** The faults of one operation. */
export interface Trouble {
  readonly interruption?: Interruption;
  readonly faults: readonly Fault[];
  readonly limitMs?: number;
  /** The service forgets all its jobs before this request. */
  readonly purgeAt?: number;
  /** How it ends: the engine may die before it stores the result, or before the process has cleaned up. */
  readonly end: "tidy" | "not stored" | "not tidied";
}

export const NO_TROUBLE: Trouble = { faults: [], end: "tidy" };
/** Time limit of an `up`, in milliseconds, unless there is another fault. */
const LIMIT_MS = 180_000;

/** All facts about a finished operation. */
export interface Report {
  readonly kind: "up" | "refresh" | "preview" | "destroy";
  readonly trouble: Trouble;
  readonly step?: Step;
  /** `killed`: nothing was stored. */
  readonly result: "success" | "failed" | "killed";
  readonly error?: Error;
  readonly before: StoredResource | undefined;
  readonly process: ProviderProcess;
  readonly requests: readonly string[];
  readonly elapsedMs: number;
  /** Milliseconds from Ctrl-C to the end. */
  readonly cancelledForMs?: number;
  /** The job that was known before and still exists: it must be continued. */
  readonly precious: string | undefined;
  /** Jobs that were finished before, see `JobLedger.spent`. */
  readonly spentBefore: readonly string[];
  /** Jobs that were known to have failed before. */
  readonly failedBefore: readonly string[];
}

/** One resource, its program, and its environment. */
export class World {
  readonly clock = new VirtualClock();
  readonly service = new SimulatedService(this.clock);
  readonly records = new MemoryRecords(() => this.clock.now());
  readonly engine = new EngineModel();
  readonly jobs = new JobLedger(this);
  /** The inputs as the program gives them. */
  program: StaticExportInputs = { domain: "docs.example.com" };
  latencyMs = 0;
  /** The history, for the message of a failure. */
  readonly story: string[] = [];
  /** The results of operations, in a few words each. */
  readonly outcomes: string[] = [];

  constructor() {
    this.service.reason = `page broken, asked with Bearer ${this.service.key} for https://store.example.test/x?X-Signature=c4n4ry`;
  }

  async up(trouble: Trouble = NO_TROUBLE): Promise<Report> {
    const step = this.engine.plan(this.program, this.#process().context);
    return this.#operation(
      "up",
      trouble,
      async (context) => {
        if (step.op === "same") {
          return () => this.engine.deletePending(context);
        }
        const state = await this.engine.carryOut(step, context, trouble.limitMs ?? LIMIT_MS);
        return () => this.engine.storeSuccess(step, state, context);
      },
      step,
    );
  }

  refresh(trouble: Trouble = NO_TROUBLE): Promise<Report> {
    return this.#operation("refresh", trouble, async (context) => {
      const { resource } = this.engine;
      if (!resource) return () => undefined;
      const found = await staticExport.read(context, resource.state);
      return () => this.engine.storeRefreshed(found?.state);
    });
  }

  preview(): Promise<Report> {
    return this.#operation("preview", NO_TROUBLE, (context) => {
      this.engine.plan(this.program, context);
      return Promise.resolve(() => undefined);
    });
  }

  destroy(): Promise<Report> {
    return this.#operation("destroy", NO_TROUBLE, (context) =>
      Promise.resolve(() => this.engine.destroy(context)),
    );
  }

  /** A process without faults, for reading what would be done. */
  #process(trouble: Trouble = NO_TROUBLE): ProviderProcess {
    const { clock, service, records, latencyMs } = this;
    const onRequest = (number: number): void => {
      if (number === trouble.purgeAt) service.jobs.clear();
    };
    return new ProviderProcess({ clock, service, records, latencyMs, onRequest }, trouble.interruption);
  }

  /** @param work returns how its result is stored */
  async #operation(
    kind: Report["kind"],
    trouble: Trouble,
    work: (context: Context) => Promise<() => void | Promise<void>>,
    step?: Step,
  ): Promise<Report> {
    const { service, clock, engine, records } = this;
    const before = engine.resource;
    const precious = step && this.jobs.precious(step.inputs);
    const process = this.#process(trouble);
    const startedAt = clock.monotonic();
    service.forgetRequests();
    service.fault = (_request, number, processIt) => {
      const fault = trouble.faults.find(({ first, times }) => number >= first && number < first + times);
      if (fault?.processed === true) processIt();
      return fault?.reply;
    };
    let result: Report["result"] = "killed";
    let error: Error | undefined;
    try {
      const done = await process.run(work);
      if (done && trouble.end !== "not stored") {
        result = "success";
        await done.value();
      }
    } catch (caught) {
      error = caught as Error;
      if (trouble.end !== "not stored") {
        result = "failed";
        if (step) engine.storeFailure(step, error);
      }
    }
    if (result !== "killed" && trouble.end === "tidy") records.operationEnded();
    else records.processKilled();
    service.fault = () => undefined;
    const report: Report = {
      kind,
      trouble,
      ...(step && { step }),
      result,
      ...(error && { error }),
      before,
      process,
      requests: service.requests,
      elapsedMs: clock.monotonic() - startedAt,
      ...(process.cancelledAtMs !== undefined && {
        cancelledForMs: clock.monotonic() - process.cancelledAtMs,
      }),
      precious: precious !== undefined && service.jobs.has(precious) ? precious : undefined,
      spentBefore: [...this.jobs.spent],
      failedBefore: [...this.jobs.knownToHaveFailed],
    };
    this.jobs.note(report);
    this.outcomes.push(`${step?.op ?? kind} ${result}${step?.decision ? ` ${step.decision.code}` : ""}`);
    this.story.push(...describeReport(report, engine.resource));
    return report;
  }
}

function describeReport(
  { step, result, error, requests, process }: Report,
  after: StoredResource | undefined,
): string[] {
  const counted: string[] = [];
  let times = 0;
  requests.forEach((request, index) => {
    times++;
    if (request === requests[index + 1]) return;
    counted.push(times > 1 ? `${request} × ${times}` : request);
    times = 0;
  });
  const lines = [...process.reporter.lines.info, ...process.reporter.lines.warn];
  return [
    `    ${step ? `${step.op} (${step.decision?.code ?? "no diff"}): ` : ""}${result}${error ? ` ${error.name}: ${error.message}` : ""}`,
    ...(counted.length > 0 ? [`    ${counted.join(", ")}`] : []),
    ...lines.map((line) => `    | ${line}`),
    `    state: ${after ? JSON.stringify(after.state) : "none"}`,
  ];
}
