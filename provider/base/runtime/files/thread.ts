import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { isBundled, packageText } from "./packageText";

/** What a thread answers to a task: the failure has the code of the system. */
export type ThreadReply<Result> =
  | ({ readonly ok: true } & Result)
  | { readonly ok: false; readonly code: string | undefined; readonly message: string };

/** A worker thread. It carries out tasks and answers them, in their order. */
export class Thread<Task, Result> {
  readonly #worker: Worker;
  readonly #waiting: { resolve: (reply: ThreadReply<Result>) => void; reject: (error: unknown) => void }[] =
    [];
  /** Why it carries out nothing more. */
  #failure: { readonly error: unknown } | undefined;

  /**
   * @param program its path below `provider/`, without extension. It imports nothing at run time, unless it is a
   *   bundle, and `.ci/buildPlugin.mjs` has it
   * @param memory its `workerData`
   * @param bundle of a program that imports others: the build makes one file of it. Its heap, in MiB
   */
  constructor(program: string, memory?: SharedArrayBuffer, bundle?: { readonly heap: number }) {
    const isText = isBundled || bundle !== undefined;
    // the extension of this file: JavaScript in the package, TypeScript in tests
    const path = join(__dirname, "../../..", `${program}${extname(__filename)}`);
    this.#worker = new Worker(isText ? packageText(`dist/provider/${program}.js`) : path, {
      eval: isText,
      workerData: memory,
      execArgv: [],
      // programs create almost no garbage, unless they are large
      resourceLimits: bundle
        ? { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: bundle.heap }
        : { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 },
    });
    this.#worker.unref();
    this.#worker.on("message", (reply: ThreadReply<Result>) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on("error", (error) => this.#fail(error));
  }

  /** @throws the error of the task; that of the thread */
  async do(task: Task): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#worker.ref(); // the process does not end before the reply
    try {
      const reply = await new Promise<ThreadReply<Result>>((resolve, reject) => {
        this.#waiting.push({ resolve, reject });
        this.#worker.postMessage(task);
      });
      if (reply.ok) return reply;
      throw Object.assign(new Error(reply.message), { code: reply.code });
    } finally {
      if (this.#waiting.length === 0) this.#worker.unref();
    }
  }

  /** Ends the thread, also during a task. @param reason the error of tasks without a reply, and of later ones */
  async end(reason: unknown = new Error("the thread has ended")): Promise<void> {
    await this.#worker.terminate();
    this.#fail(reason);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
