import { text } from "node:stream/consumers";
import { Readable } from "node:stream";
import type { ListObjectsV2Command } from "@aws-sdk/client-s3";
import type { ListedObject } from "../objectStore";

/** An answer of the store, before the SDK reads it. */
interface Answer {
  readonly statusCode: number;
  body: Readable;
}

/**
 * Reads the objects of a page as plain text, before the SDK reads the rest: that takes the SDK most of the time of a list. An entry in a
 * form that is not expected is left to the SDK.
 *
 * @param onObject gets each object
 */
export function readPlainEntries(
  { middlewareStack }: ListObjectsV2Command,
  onObject: (object: ListedObject) => void,
): void {
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const answer = result.response as Answer;
      if (answer.statusCode === 200)
        answer.body = Readable.from([Buffer.from(withoutEntries(await text(answer.body), onObject))]);
      return result;
    },
    { step: "deserialize", priority: "low", name: "plainEntries" },
  );
}

function withoutEntries(page: string, onObject: (object: ListedObject) => void): string {
  return page.replace(/<Contents>(.*?)<\/Contents>/gs, (entry, inside: string) => {
    const key = field(inside, "Key");
    const size = Number(field(inside, "Size") ?? NaN);
    const modifiedAtMs = Date.parse(field(inside, "LastModified") ?? "");
    const revision = field(inside, "ETag");
    if (!key || revision === undefined || Number.isNaN(size + modifiedAtMs)) return entry;
    onObject({ key, size, revision, modifiedAtMs });
    return "";
  });
}

/** The text of an element that contains no other. */
function field(entry: string, name: string): string | undefined {
  const start = entry.indexOf(`<${name}>`);
  const end = entry.indexOf(`</${name}>`, start);
  if (start < 0 || end < 0) return undefined;
  const value = entry.slice(start + name.length + 2, end);
  if (value.includes("<")) return undefined;
  // a copy: a part of a text would keep all of it in memory
  return Buffer.from(value.includes("&") ? unescaped(value) : value).toString();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const unescaped = (value: string): string =>
  value.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(amp|lt|gt|quot|apos));/gi,
    (_, hex?: string, decimal?: string, name = "") =>
      name
        ? (ENTITIES[String(name).toLowerCase()] ?? "")
        : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
