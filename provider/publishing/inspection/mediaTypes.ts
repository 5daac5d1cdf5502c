import { extname } from "node:path/posix";
import type { TextKind } from "./embedded";
import table from "./mediaTypes.json";

/** A media type of files of sites, and what follows from it wherever a site is inspected or served. */
interface MediaType {
  readonly type: string;
  /** File extensions without the dot, in lower case, separated by spaces. */
  readonly endings: string;
  /** Browsers show such a file as a page. */
  readonly isPage?: true;
  /** How it is inspected for what it loads. @default it loads nothing */
  readonly inspectedAs?: TextKind;
  /**
   * It is sent with `charset=utf-8`. An XML page without a declaration is UTF-8 anyway, and one with a declaration must not be overruled.
   */
  readonly hasCharset?: true;
  /** It gets smaller by compression: it is sent compressed to browsers that accept that. */
  readonly isCompressed?: true;
  /** The content is compressed already, and browsers must know. */
  readonly encoding?: "gzip";
}

/**
 * The only table of media types: for the inspection, buckets and images, and the chart's `nginx.conf` and `compress.sh`, which a test
 * compares with it. We keep our own table because small libraries such as mrmime 2 lack types that generators write (`.rsc`) and use
 * other types for `.js` and `.ico`. Sources and logs are plain text, which browsers show.
 */
export const MEDIA_TYPES = table as readonly MediaType[];

const BY_ENDING: ReadonlyMap<string, MediaType> = new Map(
  MEDIA_TYPES.flatMap((row) => row.endings.split(" ").map((ending) => [`.${ending}`, row] as const)),
);

/** The media type of a file by its extension, in any case; undefined for bytes of an unknown type. */
export function mediaTypeOf(path: string): MediaType | undefined {
  return BY_ENDING.get(extname(path).toLowerCase());
}

/** Whether browsers show a file as a page. */
export function isPage(path: string): boolean {
  return mediaTypeOf(path)?.isPage === true;
}
