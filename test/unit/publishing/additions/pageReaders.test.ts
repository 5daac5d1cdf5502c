import { beforeAll, describe, expect, test } from "vitest";
import { Thread } from "../../../../provider/base/runtime/files/thread.ts";
import {
  type PageRead,
  PageReaders,
  type PagesTask,
} from "../../../../provider/publishing/additions/pageReaders.ts";
import { PagesWithAdditions } from "../../../../provider/publishing/additions/pagesWithAdditions.ts";
import { readMarkdown } from "../../../../provider/publishing/llmsTxt/readMarkdown.ts";
import { SiteMarkdown } from "../../../../provider/publishing/llmsTxt/siteMarkdown.ts";
import { SiteSearch } from "../../../../provider/publishing/offlineSearch/siteSearch.ts";
import { readPage } from "../../../../provider/publishing/sitePages/readPage.ts";

type Machine = NonNullable<ConstructorParameters<typeof PageReaders>[2]>;

const { signal } = new AbortController();
/** Larger than what is read before a thread starts, and before a second one does. A comment has no words for the index. */
const LARGE = 2_500_000;
const LARGER = 4_500_000;
const pageOf = (text: string, size = 0): Buffer =>
  Buffer.from(`<title>${text}</title><!--${"-".repeat(size)}--><h1 id="a">${text}</h1><p>${text}`);

type Task = (pages: readonly string[]) => Promise<unknown>;

/** A machine whose threads are functions. @param task runs before a thread answers */
function machineOf(task: Task, cores = 2): Machine & { started: number; ended: number } {
  const machine = {
    cores,
    started: 0,
    ended: 0,
    startThread() {
      machine.started++;
      return {
        async do({ pages, isMarkdownWanted }: PagesTask) {
          await task(pages.map((bytes) => Buffer.from(bytes).toString()));
          const read = pages.map((bytes): PageRead => {
            const page = Buffer.from(bytes);
            return isMarkdownWanted ? readMarkdown(page) : { page: readPage(page) };
          });
          return { read };
        },
        end() {
          machine.ended++;
          return Promise.resolve();
        },
      };
    },
  };
  return machine;
}

async function titlesOf(reads: readonly Promise<PageRead>[]): Promise<string[]> {
  return (await Promise.all(reads)).map(({ page }) => page.title);
}

/** The files that a destination gets, in their order. */
async function filesOf(site: Readonly<Record<string, string>>, cores: number): Promise<[string, string][]> {
  const files: [string, string][] = [];
  let threads = 0;
  const machine: Machine = {
    cores,
    startThread() {
      threads++;
      return new Thread("publishing/additions/pageProgram", undefined, { heap: 256 });
    },
  };
  const sink = {
    async file({ path, size }: { path: string; size: number }, content: AsyncIterable<Uint8Array>) {
      const bytes = Buffer.concat(await Array.fromAsync(content));
      expect(bytes).toHaveLength(size);
      files.push([path, bytes.toString()]);
    },
  };
  const hasFile = (path: string): boolean => path in site;
  const additions = {
    search: new SiteSearch(sink, {}, hasFile, signal),
    markdown: cores > 2 ? new SiteMarkdown(true, hasFile) : undefined,
  };
  const readers = new PageReaders(cores > 2, signal, machine);
  const pages = new PagesWithAdditions(sink, additions, signal, readers);
  for (const [path, text] of Object.entries(site)) {
    await pages.file({ path, size: Buffer.byteLength(text) }, [Buffer.from(text)].values() as never);
  }
  await pages.finish();
  await pages.end();
  expect(threads).toBe(cores > 1 ? 2 : 0);
  return files;
}

describe("pages that are read in threads", () => {
  const names = Array.from({ length: 120 }, (_, number) => `p${number}`);
  const site = {
    "large.html": pageOf("large", LARGER).toString(),
    ...Object.fromEntries(
      names.flatMap((name, at) => [
        [`${name}.html`, pageOf(`${name} ${"text ".repeat(at * 20)}`).toString()],
        [`${name}.js`, `a("${name}")`],
      ]),
    ),
  };

  let one: readonly [string, string][];
  beforeAll(async () => {
    one = await filesOf(site, 1);
  });

  test("have the same files, in the same order, as those that are read in one", async () => {
    expect(one.slice(0, 241).map(([path]) => path)).toEqual(Object.keys(site));
    expect(await filesOf(site, 2)).toEqual(one);
  });

  test("have the same search if their Markdown is written, too", async () => {
    const both = new Map(await filesOf(site, 4));
    for (const [path, text] of one) {
      if (path.startsWith("docs-hosting-search/")) expect(both.get(path)).toBe(text);
    }
    expect(both.has("llms.txt")).toBe(true);
  });

  test("are sent from some megabytes of a site on, on a machine with more than one core", async () => {
    for (const [cores, size, threads] of [
      [2, 1_000, 0],
      [2, LARGE, 1],
      [1, LARGE, 0],
    ] as const) {
      const machine = machineOf(() => Promise.resolve(), cores);
      const readers = new PageReaders(false, signal, machine);
      expect(await titlesOf([readers.read(pageOf("one", size))])).toHaveLength(1);
      expect({ cores, size, threads: machine.started }).toEqual({ cores, size, threads });
    }
  });

  test("are read in one thread for Markdown, and in two from more megabytes on", async () => {
    for (const [size, threads] of [
      [1_000, 1],
      [LARGE, 1],
      [LARGER, 2],
    ] as const) {
      const machine = machineOf(() => Promise.resolve());
      const readers = new PageReaders(true, signal, machine);
      const pages = ["one", "two", "three"].map((text) => readers.read(pageOf(text, size / 3)));
      expect(await titlesOf(pages)).toEqual(["one", "two", "three"]);
      expect({ size, threads: machine.started }).toEqual({ size, threads });
    }
  });

  test("a page that ends its thread is read here, and those that were sent with it are read again", async () => {
    const machine = machineOf((pages) =>
      pages.some((page) => page.includes("deadly"))
        ? Promise.reject(new Error("Worker terminated due to reaching memory limit"))
        : Promise.resolve(),
    );
    const readers = new PageReaders(true, signal, machine);
    const words = ["one", "two", "deadly", "four", "five", "six"];
    const reads = await Promise.all(words.map((text) => readers.read(pageOf(text))));
    expect(reads.map(({ page }) => page.title)).toEqual(words);
    expect(reads.map(({ markdown }) => markdown !== undefined)).toEqual([
      true,
      true,
      false,
      true,
      true,
      true,
    ]);
    expect(machine.ended).toBe(2);
  });

  test("threads that never answer are no longer started, and every page is read here", async () => {
    const machine = machineOf(() => Promise.reject(new Error("Cannot find module")));
    const readers = new PageReaders(false, signal, machine);
    const pages = [pageOf("large", LARGE), ...names.map((name) => pageOf(name))];
    expect(await titlesOf(pages.map((page) => readers.read(page)))).toHaveLength(pages.length);
    expect(machine.started).toBeLessThan(12);
  });

  test("a process that may start no threads reads them here, with their Markdown", async () => {
    const startThread = (): never => {
      throw Object.assign(new Error("Access to this API has been restricted"), { code: "ERR_ACCESS_DENIED" });
    };
    const readers = new PageReaders(true, signal, { cores: 2, startThread });
    const [first, second] = await Promise.all(["one", "two"].map((text) => readers.read(pageOf(text))));
    expect([first?.markdown, second?.markdown]).toEqual(["# one {#a}\n\none", "# two {#a}\n\ntwo"]);
  });

  test("a process whose threads end at their start reads them here, with their Markdown", async () => {
    const machine = machineOf(() =>
      Promise.reject(Object.assign(new Error("no memory for a thread"), { code: "ERR_WORKER_INIT_FAILED" })),
    );
    const readers = new PageReaders(true, signal, machine);
    const reads = await Promise.all(["one", "two"].map((text) => readers.read(pageOf(text))));
    expect(reads.map(({ markdown }) => markdown)).toEqual(["# one {#a}\n\none", "# two {#a}\n\ntwo"]);
  });

  test("pages that end their threads, one after the other, take no other page its Markdown", async () => {
    const machine = machineOf((pages) =>
      pages.some((page) => page.includes("deadly"))
        ? Promise.reject(new Error("Worker terminated due to reaching memory limit"))
        : Promise.resolve(),
    );
    const readers = new PageReaders(true, signal, machine);
    for (const text of Array.from({ length: 10 }, () => "deadly")) await readers.read(pageOf(text));
    expect((await readers.read(pageOf("last"))).markdown).toBe("# last {#a}\n\nlast");
  });

  test("the end leaves no page without an answer", async () => {
    const machine = machineOf(() => new Promise(() => undefined));
    const readers = new PageReaders(true, signal, machine);
    const sent = Array.from({ length: 3 }, () => readers.read(pageOf("sent", LARGER / 3)));
    for (const each of sent) each.catch(() => undefined); // those that wait for a thread
    await new Promise((resolve) => setImmediate(resolve));
    const late = readers.read(pageOf("late"));
    const answers = Promise.allSettled([late]);
    await readers.end();
    expect(await answers).toMatchObject([{ status: "rejected" }]);
    expect(machine.ended).toBe(2);
    expect(sent).toHaveLength(3);
  });
});
