import { Thread } from "../../base/runtime/files/thread";
import type { MarkdownPage } from "./readMarkdown";

const PROGRAM = "publishing/llmsTxt/pageProgram";
/** Heap of the thread, in MiB: for the largest page, with as many elements as are read. */
const HEAP = 768;

/** Reads pages in a thread, so that large ones do not block this one. A page that ends the thread is not read. */
export class PageThread {
  #thread: Thread<Uint8Array, MarkdownPage> | undefined;

  /**
   * @returns undefined for a page that cannot be read
   * @throws if the thread itself does not work, whatever the page is
   */
  async read(bytes: Uint8Array): Promise<MarkdownPage | undefined> {
    const thread = (this.#thread ??= new Thread<Uint8Array, MarkdownPage>(PROGRAM, undefined, {
      heap: HEAP,
    }));
    try {
      return await thread.do(bytes);
    } catch (error) {
      this.#thread = undefined;
      await thread.end().catch(() => undefined);
      const { code } = error as NodeJS.ErrnoException;
      if (code !== undefined && code !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
      return undefined;
    }
  }

  async end(): Promise<void> {
    await this.#thread?.end();
    this.#thread = undefined;
  }
}
