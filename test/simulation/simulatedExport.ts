import { expect } from "vitest";
import { withoutSecrets } from "../../provider/base/runtime/messages/reporter.ts";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import type { Context } from "../../provider/resource/context.ts";
import { type Diff, UnfinishedError } from "../../provider/resource/lifeCycle.ts";
import type { CheckedExportInputs } from "../../provider/staticExport/inputs.ts";
import { staticExport } from "../../provider/staticExport/lifeCycle.ts";
import type { StaticExportState } from "../../provider/staticExport/state.ts";
import { MemoryRecords } from "./memoryRecords.ts";
import { recordingReporter } from "./recordingReporter.ts";
import type { ScriptedReply } from "./scriptedFetch.ts";
import { formsOf } from "./secretForms.ts";
import { SimulatedService } from "./simulatedService.ts";
import { testContext, URN } from "./testContext.ts";
import { VirtualClock } from "./virtualClock.ts";

type Kind = "start" | "status" | "bundle";

function kindOf(method: string, path: string): Kind {
  if (method === "GET") return "status";
  return path.endsWith("/bundle") ? "bundle" : "start";
}

/** One static export and its environment: its life cycle, the service, and their common clock. */
export class SimulatedExport {
  readonly clock = new VirtualClock();
  readonly service = new SimulatedService(this.clock);
  readonly reporter = recordingReporter();
  /** Removed from all output, as the adapter does. */
  readonly secrets = new Secrets();
  readonly records = new MemoryRecords();
  readonly inputs: CheckedExportInputs = {
    domain: "docs.example.com",
    baseUrl: this.service.baseUrl,
    apiKeyEnv: "DOCS_HOSTING_ADMIN_API_KEY",
  };
  /** The admin API key in the environment. */
  key = this.service.key;
  readonly stackConfig: Record<string, string> = {};
  readonly #errors: string[] = [];

  context(signal: Context["signal"] = new AbortController().signal): Context {
    return testContext({
      configuration: {
        environment: (name) => (name.endsWith("_KEY") ? this.key : undefined),
        stackConfig: (name) => this.stackConfig[name],
      },
      fetch: this.service.fetch,
      clock: this.clock,
      reporter: withoutSecrets(this.reporter, this.secrets),
      secrets: this.secrets,
      resumeRecords: this.records,
      urn: URN,
      signal,
    });
  }

  /** @param changes inputs that differ from {@link inputs}, or additional ones */
  create = (changes: Partial<CheckedExportInputs> = {}, limitMs?: number): Promise<StaticExportState> =>
    this.#run(staticExport.create(this.context(), { ...this.inputs, ...changes }, limitMs));

  /** @param changes see {@link create} */
  update = (
    state: StaticExportState,
    changes: Partial<CheckedExportInputs> = {},
    limitMs?: number,
  ): Promise<StaticExportState> =>
    this.#run(staticExport.update(this.context(), state, { ...this.inputs, ...changes }, limitMs));

  read = async (state: StaticExportState): Promise<StaticExportState | undefined> =>
    (await this.#run(staticExport.read(this.context(), state)))?.state;

  /** @param changes see {@link create} */
  diff = (state: StaticExportState, changes: Partial<CheckedExportInputs> = {}): Diff =>
    staticExport.diff({ ...this.inputs, ...changes }, state, {
      name: "build-agent",
      nowMs: this.clock.now(),
    });

  /** A diff without its messages. */
  verdict = (state: StaticExportState, changes: Partial<CheckedExportInputs> = {}): unknown => {
    const { changed, replaces, hidden, decision } = this.diff(state, changes);
    return { changed, replaces, hidden, code: decision.code };
  };

  /**
   * Answers one kind of request in the service's place, by the service's clock, where `replyOf` returns something.
   *
   * @param replyOf gets the number of such requests since then, this one included
   */
  answer(
    kind: Kind,
    replyOf: (number: number) => Exclude<ScriptedReply, "never" | { error: string }> | undefined,
  ): void {
    let number = 0;
    this.service.fault = ({ method, path }) => {
      if (kindOf(method, path) !== kind) return undefined;
      const reply = replyOf(++number);
      const date = new Date(this.clock.trueNow()).toUTCString();
      return reply && { headers: { date }, ...reply };
    };
  }

  /** Requests since the last call, with polls counted once. */
  requests = (): string[] => {
    const seen = this.service.requests.filter((request, index, all) => request !== all[index - 1]);
    this.service.forgetRequests();
    return seen;
  };

  /** Fails when the key, or the signature of the service's links, was in an error or a line. */
  expectNoSecretShown(): void {
    const { progress, info, warn } = this.reporter.lines;
    const shown = [...progress, ...info, ...warn, ...this.#errors].join("\n");
    for (const form of [this.service.key, "c4n4ry"].flatMap(formsOf)) expect(shown).not.toContain(form);
  }

  async #run<T>(work: Promise<T>): Promise<T> {
    try {
      return await this.clock.run(work);
    } catch (error) {
      this.secrets.removeFromError(error);
      const { message, stack = "" } = error as Error;
      this.#errors.push(message, stack);
      throw error;
    }
  }
}

/** A diff without changes. */
export const nothing = { changed: [], replaces: [], hidden: false, code: "UP_TO_DATE" };

export const caught = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error("it did not fail"),
    (error: unknown) => error as Error,
  );

/** The error of an operation that leaves an unfinished state. */
export async function unfinished<State = StaticExportState>(
  work: Promise<unknown>,
): Promise<UnfinishedError<State>> {
  const error = await caught(work);
  if (error instanceof UnfinishedError) return error as UnfinishedError<State>;
  throw new Error(`nothing to go on from: ${error.message}`);
}
