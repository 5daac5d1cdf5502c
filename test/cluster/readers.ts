import { createHash } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { repeatedly } from "./repeatedly.ts";

/** A page in a browser: it knows which files it needs. */
export interface Page {
  readonly edition: string;
  /** Addresses of the files that are named after their content, and that are others in each edition: the rest tells nothing. */
  readonly files: readonly string[];
}

/** What readers saw. */
export interface Seen {
  /** By edition: how many pages, and when the first and the last one came. */
  readonly editions: Readonly<Record<string, { pages: number; first: number; last: number }>>;
  /** Number of pages that came while an edition before was still served. */
  readonly mixed: number;
  /** What was wrong, with the edition of the page. */
  readonly broken: readonly string[];
}

/** Loads a page. @throws Error when it is none */
export async function openPage(url: string): Promise<Page> {
  const { status, body } = await ask(url);
  const html = body.toString();
  const edition = /The edition (\d+)\./.exec(html)?.[1];
  if (status !== 200 || edition === undefined) throw new Error(`the page was answered with ${status}`);
  const named = html.matchAll(/src="([^"]*-\d+-[0-9a-f]{8,}\.[a-z]+)"/g);
  return { edition, files: [...named].map(([, file = ""]) => file) };
}

/** Loads the files of a page. The name of each has the beginning of the SHA-256 of its content. @returns what was wrong */
export async function filesOf(url: string, { edition, files }: Page): Promise<string[]> {
  const broken: string[] = [];
  for (const file of files) {
    const found = await ask(new URL(file, url).href).catch((error: unknown) => String(error));
    if (typeof found === "string") broken.push(`edition ${edition}: ${file}: ${found}`);
    else if (found.status !== 200) broken.push(`edition ${edition}: ${file}: ${found.status}`);
    else if (!file.includes(digestOf(found.body))) broken.push(`edition ${edition}: ${file}: other content`);
  }
  return broken;
}

/** The shortest hash in a name. */
const digestOf = (content: Buffer): string => createHash("sha256").update(content).digest("hex").slice(0, 8);

/** Readers who load the page and its files, again and again, each request on a new connection. */
export function startReaders(url: string, count: number): { pages(): number; end(): Promise<Seen> } {
  const loads: { edition: string; at: number }[] = [];
  const broken: string[] = [];
  const read = async () => {
    try {
      const page = await openPage(url);
      loads.push({ edition: page.edition, at: performance.now() });
      broken.push(...(await filesOf(url, page)));
    } catch (error) {
      broken.push(String(error));
    }
  };
  const stops = Array.from({ length: count }, () => repeatedly(read, 0));
  return {
    pages: () => loads.length,
    end: async () => {
      await Promise.all(stops.map((stop) => stop()));
      return { ...summaryOf(loads), broken };
    },
  };
}

function summaryOf(loads: readonly { edition: string; at: number }[]): Pick<Seen, "editions" | "mixed"> {
  const editions: Record<string, { pages: number; first: number; last: number }> = {};
  for (const { edition, at } of loads) {
    const seen = (editions[edition] ??= { pages: 0, first: at, last: at });
    seen.pages += 1;
    seen.last = Math.max(seen.last, at);
  }
  const isMixed = (at: number): boolean =>
    Object.values(editions).filter(({ first, last }) => first <= at && at <= last).length > 1;
  return { editions, mixed: loads.filter(({ at }) => isMixed(at)).length };
}

/** Reads the whole answer: a body that is cut off is an error as well. */
async function ask(url: string): Promise<{ status: number; body: Buffer }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, signal: AbortSignal.timeout(10_000) }, resolve).on("error", reject);
  });
  return { status: response.statusCode ?? 0, body: await buffer(response) };
}
