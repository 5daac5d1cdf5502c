import { availableParallelism } from "node:os";
import { Thread } from "../../base/runtime/files/thread";
import { Yielder } from "../archives/yielder";
import type { MarkdownPage } from "../llmsTxt/readMarkdown";
import { type ReadPage, readPageInTurns } from "../sitePages/readPage";

/** The bytes of pages, and what to read of them. */
export interface PagesTask {
  readonly pages: readonly Uint8Array[];
  readonly isMarkdownWanted: boolean;
}

/** What a page was read as: with its Markdown, if it is wanted. */
export type PageRead = MarkdownPage | { readonly page: ReadPage; readonly markdown?: undefined };

/** What the pages of a task were read as; undefined for one whose Markdown cannot be written. */
export interface PagesRead {
  readonly read: readonly (PageRead | undefined)[];
}

const PROGRAM = "publishing/additions/pageProgram";
/** Heap of a thread, in MiB: for the largest page, with as many elements as are read. */
const HEAP = 768;
/** Most threads: the one that writes the site has more to do than two of them. */
const MOST_THREADS = 2;
/** Pages are read in threads from so many bytes of them on: for fewer, threads take longer to start than they save. */
const BYTES_BEFORE_THREADS = 2 * 2 ** 20;
/** From so many bytes on, a second one: it would first learn what the other one knows. */
const BYTES_BEFORE_SECOND = 4 * 2 ** 20;
/** Pages that are sent to a thread at once have about so many bytes: for each small one alone, threads would wait for each other. */
const TASK_BYTES = 128 * 1_024;
/** The code of a thread that a page needs more memory than it has. All other codes are about threads, whatever the page is. */
const OUT_OF_MEMORY = "ERR_WORKER_OUT_OF_MEMORY";
/** After so many threads that end without a reply, no other one is started. */
const MOST_FAILURES = 8;

interface WaitingPage {
  readonly bytes: Buffer;
  readonly resolve: (read: PageRead | Promise<PageRead>) => void;
  /** Sent alone, because a thread ended that had it with others. */
  readonly isAlone?: boolean;
}

type PageThread = Pick<Thread<PagesTask, PagesRead>, "do" | "end">;

/** What a machine gives to this process. */
interface ThreadMachine {
  /** Cores that the process can use. */
  readonly cores: number;
  /** @throws if the process may start no thread, as in Node.js with `--permission` */
  readonly startThread: () => PageThread;
}

const THIS_MACHINE: ThreadMachine = {
  cores: availableParallelism(),
  startThread: () => new Thread(PROGRAM, undefined, { heap: HEAP }),
};

/**
 * Reads pages: in threads if there are many of them and the machine can run several, else in this one. What a page is read as is the
 * same.
 */
export class PageReaders {
  readonly #isMarkdownWanted: boolean;
  readonly #signal: AbortSignal;
  readonly #yielder: Yielder;
  readonly #machine: ThreadMachine;
  /** Most threads; 0 if none can be started. */
  #most: number;
  readonly #threads = new Set<PageThread>();
  readonly #idle: PageThread[] = [];
  #waiting: WaitingPage[] = [];
  #bytes = 0;
  #isPlanned = false;
  /** Threads that ended one after the other without a reply. */
  #failures = 0;
  /** Whether this process may start no threads. */
  #canStartNone = false;
  #hasEnded = false;

  constructor(isMarkdownWanted: boolean, signal: AbortSignal, machine: ThreadMachine = THIS_MACHINE) {
    this.#isMarkdownWanted = isMarkdownWanted;
    this.#signal = signal;
    this.#yielder = new Yielder(signal);
    // the Markdown of a hostile page may need more memory than this thread has
    this.#machine = machine;
    this.#most = machine.cores > 1 ? MOST_THREADS : Number(isMarkdownWanted);
  }

  /**
   * A page whose thread ends is read here, without its Markdown.
   *
   * @throws the signal's reason
   */
  read(bytes: Buffer): Promise<PageRead> {
    this.#bytes += bytes.length;
    return new Promise((resolve) => {
      const page = { bytes, resolve };
      const isInThread = this.#isMarkdownWanted || this.#bytes > BYTES_BEFORE_THREADS;
      if (this.#hasEnded || !isInThread) return this.#readHere([page], false);
      this.#waiting.push(page);
      this.#plan();
    });
  }

  /** Ends the threads, also during a page. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    this.#readHere(this.#waiting.splice(0), false);
    const threads = [...this.#threads];
    this.#threads.clear();
    for (const thread of threads) await thread.end();
  }

  /** Pages that come before the next turn of the event loop are sent together. */
  #plan(): void {
    if (this.#isPlanned || this.#waiting.length === 0) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      while (this.#waiting.length > 0) {
        const thread = this.#idle.pop() ?? this.#start();
        if (thread === undefined) break;
        void this.#send(thread, this.#next());
      }
      const isWritten = this.#isMarkdownWanted && this.#canStartNone;
      if (this.#threads.size === 0) this.#readHere(this.#waiting.splice(0), isWritten);
    });
  }

  /** The pages of the next task: not all of them, so that another thread has some, too. */
  #next(): WaitingPage[] {
    const most = Math.ceil(
      this.#waiting.length / (1 + this.#wanted - this.#threads.size + this.#idle.length),
    );
    let [count, bytes] = [0, 0];
    for (const page of this.#waiting.slice(0, most)) {
      if (count > 0 && (page.isAlone === true || bytes + page.bytes.length > TASK_BYTES)) break;
      count++;
      bytes += page.bytes.length;
      if (page.isAlone === true) break;
    }
    return this.#waiting.splice(0, count);
  }

  /** Number of threads for the pages that came. */
  get #wanted(): number {
    return this.#bytes < BYTES_BEFORE_SECOND ? Math.min(1, this.#most) : this.#most;
  }

  /** A new thread, if there may be one. */
  #start(): PageThread | undefined {
    if (this.#hasEnded || this.#threads.size >= this.#wanted) return undefined;
    try {
      const thread = this.#machine.startThread();
      this.#threads.add(thread);
      return thread;
    } catch {
      this.#most = 0;
      this.#canStartNone = true;
      return undefined;
    }
  }

  async #send(thread: PageThread, pages: readonly WaitingPage[]): Promise<void> {
    try {
      const { read } = await thread.do({
        pages: pages.map(({ bytes }) => bytes),
        isMarkdownWanted: this.#isMarkdownWanted,
      });
      for (const [at, { bytes, resolve }] of pages.entries()) resolve(read[at] ?? this.#pageOf(bytes, false));
      this.#idle.push(thread);
      this.#failures = 0;
    } catch (error) {
      this.#threads.delete(thread);
      await thread.end().catch(() => undefined);
      const { code = OUT_OF_MEMORY } = error as NodeJS.ErrnoException;
      if (code !== OUT_OF_MEMORY) {
        // no page is the reason
        this.#most = 0;
        this.#canStartNone = true;
        this.#waiting = [...pages, ...this.#waiting];
        return this.#plan();
      }
      // without threads, there is no Markdown of the next pages either
      if (++this.#failures === MOST_FAILURES && !this.#isMarkdownWanted) this.#most = 0;
      if (pages.length === 1) this.#readHere(pages, false);
      else this.#waiting = [...pages.map((page) => ({ ...page, isAlone: true })), ...this.#waiting];
    }
    this.#plan();
  }

  #readHere(pages: readonly WaitingPage[], isMarkdownWanted: boolean): void {
    for (const { bytes, resolve } of pages) resolve(this.#pageOf(bytes, isMarkdownWanted));
  }

  async #pageOf(bytes: Buffer, isMarkdownWanted: boolean): Promise<PageRead> {
    this.#signal.throwIfAborted();
    if (this.#hasEnded) throw new Error("the reading of pages has ended");
    if (isMarkdownWanted) {
      const { readMarkdown } = await import("../llmsTxt/readMarkdown.js");
      return readMarkdown(bytes);
    }
    return { page: await readPageInTurns(bytes, this.#yielder) };
  }
}
