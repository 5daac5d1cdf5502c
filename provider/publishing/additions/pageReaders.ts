import { availableParallelism } from "node:os";
import { Thread } from "../../base/runtime/files/thread";
import { Yielder } from "../archives/yielder";
import { type MarkdownPage, readMarkdown } from "../llmsTxt/readMarkdown";
import { type ReadPage, readPageInTurns } from "../offlineSearch/readPage";

/** The bytes of a page, and what to read of it. */
export interface PageTask {
  readonly bytes: Uint8Array;
  readonly isMarkdownWanted: boolean;
}

/** What a page was read as: with its Markdown, if it is wanted. */
export type PageRead = MarkdownPage | { readonly page: ReadPage; readonly markdown?: undefined };

const PROGRAM = "publishing/additions/pageProgram";
/** Heap of a thread, in MiB: for the largest page, with as many elements as are read. */
const HEAP = 768;
/** Most threads: the one that writes the site has nearly as much to do as two of them. */
const MOST_THREADS = 2;
/** Pages are read in threads from so many bytes of them on: for fewer, threads take longer to start than they save. */
const BYTES_BEFORE_THREADS = 2 * 2 ** 20;

/**
 * Reads pages: in threads if there are many of them and the machine can run several, else in this one. What a page is read as is the
 * same.
 */
export class PageReaders {
  readonly #isMarkdownWanted: boolean;
  readonly #signal: AbortSignal;
  /** Most threads; 0 if none can be started. */
  #most: number;
  readonly #threads = new Set<Thread<PageTask, PageRead>>();
  readonly #idle: Thread<PageTask, PageRead>[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #yielder: Yielder;
  #bytes = 0;
  #hasEnded = false;

  /** @param cores that this process can use */
  constructor(isMarkdownWanted: boolean, signal: AbortSignal, cores = availableParallelism()) {
    this.#isMarkdownWanted = isMarkdownWanted;
    this.#signal = signal;
    this.#yielder = new Yielder(signal);
    // the Markdown of a hostile page may need more memory than this thread has
    this.#most = cores > 1 ? MOST_THREADS : Number(isMarkdownWanted);
  }

  /**
   * A page of which a thread ends is read here, without its Markdown.
   *
   * @throws the signal's reason
   */
  async read(bytes: Buffer): Promise<PageRead> {
    this.#bytes += bytes.length;
    const thread = this.#isInThreads ? await this.#take() : undefined;
    if (thread === undefined) return this.#readHere(bytes, this.#isMarkdownWanted);
    try {
      return await thread.do({ bytes, isMarkdownWanted: this.#isMarkdownWanted });
    } catch {
      this.#threads.delete(thread);
      await thread.end().catch(() => undefined);
    } finally {
      if (this.#threads.has(thread)) this.#idle.push(thread);
      this.#waiting.shift()?.();
    }
    return this.#readHere(bytes, false);
  }

  /** Ends the threads, also during a page. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    for (const thread of this.#threads) await thread.end();
  }

  get #isInThreads(): boolean {
    return this.#isMarkdownWanted || this.#bytes > BYTES_BEFORE_THREADS;
  }

  /** A thread that reads nothing. @returns undefined if none can be started */
  async #take(): Promise<Thread<PageTask, PageRead> | undefined> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined) return idle;
      if (this.#threads.size < this.#most) return this.#start();
      if (this.#threads.size === 0) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #start(): Thread<PageTask, PageRead> | undefined {
    try {
      const thread = new Thread<PageTask, PageRead>(PROGRAM, undefined, { heap: HEAP });
      this.#threads.add(thread);
      return thread;
    } catch {
      this.#most = 0; // such as Node.js with --permission
      return undefined;
    }
  }

  async #readHere(bytes: Buffer, isMarkdownWanted: boolean): Promise<PageRead> {
    this.#signal.throwIfAborted();
    if (this.#hasEnded) throw new Error("the reading of pages has ended");
    if (isMarkdownWanted) return readMarkdown(bytes);
    return { page: await readPageInTurns(bytes, this.#yielder) };
  }
}
