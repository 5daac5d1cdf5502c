import { hash } from "node:crypto";
import { WORK_PER_ENTRY, type Yielder } from "../archives/yielder";
import { ownBytes } from "../search/ownMemory";
import { encodingOf } from "./pageEncoding";
import { PageReader, type PageText } from "./pageText";

/** A page with a script, without a heading and with fewer characters has probably no text of its own: the script makes it. */
const FEWEST_CHARACTERS = 200;
/** Number of characters of a page that are read at once. */
const SLICE = 64 * 1_024;

/** What the search needs of a page: its text once, and outside of the heap. */
export interface ReadPage extends Omit<PageText, "sections"> {
  readonly encoding: string;
  /** The first one; empty if the page has none. */
  readonly heading: string;
  /** As JSON in UTF-8. */
  readonly sections: Uint8Array;
  /** The same for pages with the same text and anchors. */
  readonly digest: string;
  /** Set if a script runs on the page. */
  readonly rendered: RenderedText | undefined;
}

/** The text of a page on which a script runs. */
interface RenderedText {
  /** The same for pages with the same text. */
  readonly digest: string;
  /** Whether it is short and has no heading. */
  readonly isShort: boolean;
}

/** Reads a page at once. */
export function readPage(bytes: Buffer): ReadPage {
  const steps = reading(bytes);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Reads a page in a thread that does other work, too. */
export async function readPageInTurns(bytes: Buffer, yielder: Yielder): Promise<ReadPage> {
  await yielder.take(WORK_PER_ENTRY);
  const steps = reading(bytes);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yielder.take(SLICE);
  }
}

function* reading(bytes: Buffer): Generator<undefined, ReadPage, undefined> {
  const encoding = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  const reader = new PageReader();
  for (let from = 0; from < text.length; from += SLICE) {
    reader.write(text.slice(from, from + SLICE));
    yield;
  }
  return keptPage(reader.end(), encoding);
}

/** Keeps what the search needs of a page. */
export function keptPage({ sections, ...page }: PageText, encoding: string): ReadPage {
  const written = ownBytes(JSON.stringify(sections));
  return {
    ...page,
    encoding,
    heading: sections.find(({ heading }) => heading !== "")?.heading ?? "",
    sections: written,
    digest: hash("sha256", written, "base64"),
    rendered: page.hasScript ? renderedText(sections) : undefined,
  };
}

function renderedText(sections: PageText["sections"]): RenderedText {
  const texts = sections.flatMap(({ heading, text }) => [heading, text]);
  const isShort =
    sections.every(({ heading }) => heading === "") && texts.join("").length < FEWEST_CHARACTERS;
  return { digest: hash("sha256", texts.join("\0"), "base64"), isShort };
}
