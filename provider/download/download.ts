import { diskFailure } from "../disk/diskFailure";
import { ELSEWHERE } from "../disk/homeFolder";
import type { Clock } from "../time/clock";
import type { Deadline } from "../time/deadline";
import { unlessAborted } from "../time/unlessAborted";
import type { Reporter } from "../words/reporter";
import { InterruptedError, interruptible } from "./interruption";
import { Links, type MintedLink } from "./links";
import { downloadError } from "./notDownloaded";
import { CLOSE_LIMIT_MS, Part } from "./part";
import { Receiver, type StallWatch } from "./receiver";
import { Retries, type Failure } from "./retries";
import { readStoreAnswer, type Asked } from "./storeAnswer";
import { storeReason } from "./storeReason";
import { askStore, type OpenAnswer, type StoreNetwork } from "./storeRequest";

/** What is downloaded, from where to where. */
export interface DownloadRequest extends Pick<StoreNetwork, "policy" | "proxyFor"> {
  /** Folder in which what arrives is kept until it is complete, also from one call to the next. Made with 0700. */
  readonly folder: string;
  /** By what a next call finds what arrived: the beginning of a file's name, the same for the same bundle only. */
  readonly name: string;
  /** A fresh link to the same bundle: asked for at the beginning, and when the store refuses the one before. */
  readonly mint: () => Promise<MintedLink>;
  /** Larger ones are refused. */
  readonly limitBytes: number;
  /** What it is the bundle of, in messages: `job 7f3a of docs.example.com`. */
  readonly subject: string;
}

/** What a download gets from the outside. */
export interface DownloadContext extends Pick<StoreNetwork, "fetch" | "clock" | "lookup" | "secrets"> {
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
}

/** A bundle that has arrived. Nobody else has this file. */
export interface Downloaded {
  readonly path: string;
  /** Of its bytes, as they were received: hexadecimal digits. */
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
  /** It was of use: it goes. Without this, a next process finds it and need not download it again. */
  remove(): void;
  /** Leaves it to the next call, also to one of this process. */
  release(): void;
}

/** How long the store may be silent, in milliseconds: before its answer, and within it. */
const STALL_LIMIT_MS = 30_000;
/** How often the download begins anew: the bundle changes all the time, or has no ETag and never arrives in one piece. */
const MAX_RESTARTS = 5;

/**
 * Downloads a bundle. What has arrived stays when it fails, or the process is killed, and the next call goes on from there, if
 * the store can prove that it is still the same bundle (by its ETag); else it begins anew.
 *
 * @throws DownloadError, ConnectionError, DestinationError of the folder, DeadlineExceededError; what `mint` throws; the signal's reason
 */
export async function download(request: DownloadRequest, context: DownloadContext): Promise<Downloaded> {
  context.signal.throwIfAborted();
  try {
    return await downloaded(request, context);
  } catch (error) {
    throw diskFailure(error, request.folder, context.signal, ELSEWHERE);
  }
}

async function downloaded(request: DownloadRequest, context: DownloadContext): Promise<Downloaded> {
  const part = Part.claim(request.folder, request.name, request.subject, context.clock.now());
  const run = new Run(part, request, context);
  try {
    const sha256 = await run.toTheEnd();
    await part.close();
    const { path, size } = part;
    return { path, sha256, size, remove: () => part.remove(), release: () => part.release() };
  } catch (error) {
    await closeInTime(part, context.clock);
    if (run.isUseless) part.remove();
    else part.release();
    throw error;
  }
}

/** A disk that hangs keeps nobody who pressed Ctrl-C. */
async function closeInTime(part: Part, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = clock.after(CLOSE_LIMIT_MS, resolve);
    const done = (): void => {
      stop();
      resolve();
    };
    part.close().then(done, done);
  });
}

/** What became of an attempt. */
type Step = "complete" | "goes on" | Failure;

class Run {
  readonly #part: Part;
  readonly #request: DownloadRequest;
  readonly #context: DownloadContext;
  readonly #links: Links;
  readonly #retries: Retries;
  readonly #receiver: Receiver;
  #restarts = 0;

  constructor(part: Part, request: DownloadRequest, context: DownloadContext) {
    this.#part = part;
    this.#request = request;
    this.#context = context;
    this.#links = new Links(request.mint, part, context);
    this.#retries = new Retries(part, context);
    this.#receiver = new Receiver(part, request.limitBytes, context, () => {
      this.#links.forget();
      this.#retries.forget();
    });
  }

  /** What has arrived will never be wanted. */
  get isUseless(): boolean {
    return this.#receiver.isUseless;
  }

  /** @returns the digest */
  async toTheEnd(): Promise<string> {
    const { signal } = this.#context;
    await unlessAborted(this.#part.open(), signal);
    for (;;) {
      signal.throwIfAborted();
      const link = await this.#links.current();
      const attempt = await this.#attempt(link);
      if (attempt === "complete") return await unlessAborted(this.#part.finish(), signal);
      if (attempt === "goes on") continue;
      await this.#retries.pause(attempt);
      if (this.#part.size > 0 && !this.#part.note) await this.#anew("the store gives no strong ETag");
    }
  }

  /** Asks once. */
  async #attempt(link: MintedLink): Promise<Step> {
    const { clock, signal, deadline } = this.#context;
    this.#retries.asked();
    const limit = new AbortController();
    const cancel = (): void => limit.abort();
    let stopStall = (): void => undefined;
    const watch: StallWatch = {
      begin: () => (stopStall = clock.after(STALL_LIMIT_MS, cancel)),
      end: () => stopStall(),
    };
    signal.addEventListener("abort", cancel, { once: true });
    const stopDeadline = clock.after(deadline.remainingMs(), cancel);
    const { size, note } = this.#part;
    const asked: Asked = size > 0 && note ? { from: size, ...note } : { from: 0 };
    let answer: OpenAnswer | undefined;
    try {
      watch.begin();
      const opened = await askStore(
        link.url,
        // not If-Range: stores that speak S3 pass over it, and send the end of another bundle
        asked.etag === undefined ? {} : { range: `bytes=${asked.from}-`, "if-match": asked.etag },
        { ...this.#request, ...this.#context },
        limit.signal,
      );
      signal.throwIfAborted();
      if ("fault" in opened) return { fault: opened.fault, message: opened.error.message };
      answer = opened;
      return await this.#take(answer, asked, link, watch);
    } catch (error) {
      signal.throwIfAborted();
      if (!answer || !(error instanceof InterruptedError)) throw error;
      const { fault, error: told } = answer.failure(error.cause);
      return { fault, message: told.message };
    } finally {
      watch.end();
      stopDeadline();
      signal.removeEventListener("abort", cancel);
      answer?.close();
    }
  }

  async #take(answer: OpenAnswer, asked: Asked, link: MintedLink, watch: StallWatch): Promise<Step> {
    const { response, host } = answer;
    const { clock } = this.#context;
    const reason = response.status < 400 ? "" : await interruptible(() => storeReason(response));
    watch.end();
    const read = readStoreAnswer(response, asked, reason, clock.now());
    const message = `the store ${host} answered ${response.status}${reason && `: ${reason}`}`;
    switch (read.kind) {
      case "complete":
        return "complete";
      case "anew":
        return await this.#anew(read.why);
      case "refused":
        this.#links.refused(message);
        return "goes on";
      case "later":
        return { fault: read.fault, message };
      case "never":
        throw downloadError(this.#part, `the store ${host} ${read.why}`, read.remedy);
      case "bytes":
        return await this.#receiver.receive(read, answer, link, watch);
    }
  }

  async #anew(why: string): Promise<Step> {
    if (++this.#restarts > MAX_RESTARTS) {
      throw downloadError(
        this.#part,
        `${why}; it was begun anew ${MAX_RESTARTS} times`,
        "Run `pulumi up` again when nothing changes the bundle. A store that gives no strong ETag needs a steady network.",
      );
    }
    this.#context.reporter.progress(`${why}: the download begins anew`);
    await this.#part.begin(undefined);
    return "goes on";
  }
}
