import { Readable } from "node:stream";
import type { ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { ListedObject } from "../objectStore";

/** A reply of the store, before the SDK reads it. */
interface ListReply {
  readonly statusCode: number;
  body: Readable;
}

/** What begins a list. */
const LIST = /<ListBucketResult\b/;

/**
 * Reads the objects of a page as plain text, before the SDK reads the rest: that takes the SDK most of the time of a list. An entry in a
 * form that is not expected is left to the SDK, which takes any other text for an empty list.
 *
 * @param notAList the error of a reply that is none
 * @param onPage gets the objects of a reply: after a failure, those of the next one count
 */
export function readPlainEntries(
  { middlewareStack }: ListObjectsV2Command,
  onPage: (objects: readonly ListedObject[]) => void,
  notAList: () => Error,
): void {
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const reply = result.response as ListReply;
      if (reply.statusCode === 200) {
        const objects: ListedObject[] = [];
        const rest = await withoutEntries(reply.body as AsyncIterable<Buffer>, objects);
        if (!LIST.test(rest.toString("latin1"))) throw notAList();
        reply.body = Readable.from([rest]);
        onPage(objects);
      }
      return result;
    },
    { step: "deserialize", priority: "low", name: "plainEntries" },
  );
}

async function withoutEntries(body: AsyncIterable<Buffer>, objects: ListedObject[]): Promise<Buffer> {
  const left: string[] = [];
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    const page = Buffer.concat([rest, chunk]);
    const read = readEntries(page, objects);
    left.push(read.left);
    rest = page.subarray(read.bytes);
  }
  return Buffer.from([...left, rest.toString("latin1")].join(""), "latin1");
}

/** Reads the whole entries in a part of a page. Returns how many bytes of it were read, and what is left of these. */
function readEntries(page: Buffer, objects: ListedObject[]): { left: string; bytes: number } {
  const text = page.toString("latin1"); // one character for each byte
  const left: string[] = [];
  let at = 0;
  for (let start; (start = text.indexOf(BEGIN, at)) >= 0;) {
    const end = text.indexOf(END, start);
    if (end < 0) break;
    const field = (name: string): string | undefined => valueOf(page, text, name, start + BEGIN.length, end);
    const key = field("Key");
    const size = Number(field("Size") ?? NaN);
    const modifiedAtMs = Date.parse(field("LastModified") ?? "");
    const revision = field("ETag");
    const isPlain = key && revision !== undefined && !Number.isNaN(size + modifiedAtMs);
    const archiveTier = archiveTierOf(field("StorageClass"));
    if (isPlain) objects.push({ key, size, revision, modifiedAtMs, ...archiveTier });
    left.push(text.slice(at, isPlain ? start : end + END.length));
    at = end + END.length;
  }
  return { left: left.join(""), bytes: at };
}

/** The classes from which S3 serves nothing before it was restored. */
export const archiveTierOf = (storageClass: string | undefined): { archiveTier: string } | undefined =>
  storageClass === "GLACIER" || storageClass === "DEEP_ARCHIVE" ? { archiveTier: storageClass } : undefined;

const [BEGIN, END] = ["<Contents>", "</Contents>"];

/** The text of an element that contains no other, in the part of a page from one place to another. */
function valueOf(page: Buffer, text: string, name: string, from: number, to: number): string | undefined {
  const start = text.indexOf(`<${name}>`, from) + name.length + 2;
  const end = text.indexOf("<", start);
  if (start < from + name.length + 2 || end > to || !text.startsWith(`</${name}>`, end)) return undefined;
  // an ETag: its quotes are put in their place, since to replace thousands of them takes longer than all the rest
  for (const quote of QUOTES) {
    if (!text.startsWith(quote, start) || end - start < 2 * quote.length) continue;
    if (!text.startsWith(quote, end - quote.length)) continue;
    const [first, last] = [start + quote.length - 1, end - quote.length];
    page[first] = page[last] = 0x22;
    return unescaped(page.toString("utf8", first, last + 1));
  }
  // from the bytes: a part of a text would keep all of it in memory
  return unescaped(page.toString("utf8", start, end));
}

const QUOTES = ["&quot;", "&#34;"];

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(value: string): string {
  if (!value.includes("&")) return value;
  return value.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(amp|lt|gt|quot|apos));/gi,
    (_, hex?: string, decimal?: string, name = "") =>
      name
        ? (ENTITIES[String(name).toLowerCase()] ?? "")
        : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}
