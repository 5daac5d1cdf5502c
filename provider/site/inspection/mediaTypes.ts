import { extname } from "node:path/posix";
import type { TextKind } from "./embedded";

/** A media type of files of sites, and what follows from it wherever a site is inspected or served. */
export interface MediaType {
  readonly type: string;
  /** File extensions without the dot, in lower case, separated by spaces. */
  readonly endings: string;
  /** Browsers show such a file as a page. */
  readonly isPage?: true;
  /** How it is inspected for what it loads. @default it loads nothing */
  readonly inspectedAs?: TextKind;
  /** It is sent with `charset=utf-8`. An XML page without a declaration is UTF-8 anyway, and one with a declaration must not be overruled. */
  readonly hasCharset?: true;
  /** It gets smaller by compression: it is sent compressed to browsers that accept that. */
  readonly isCompressed?: true;
  /** The content is compressed already, and browsers must know. */
  readonly encoding?: "gzip";
}

const text = { hasCharset: true, isCompressed: true } as const;
const packed = { isCompressed: true } as const;

/**
 * The only table of media types: for the inspection, buckets and images, and the chart's `nginx.conf` and `compress.sh`, which a test
 * compares with it. We keep our own table because small libraries such as mrmime 2 lack types that generators write (`.rsc`) and use
 * other types for `.js` and `.ico`. Sources and logs are plain text, which browsers show.
 */
export const MEDIA_TYPES: readonly MediaType[] = [
  { type: "text/html", endings: "html htm shtml", isPage: true, inspectedAs: "html", ...text },
  { type: "application/xhtml+xml", endings: "xhtml xht", isPage: true, inspectedAs: "xml", ...packed },
  { type: "text/css", endings: "css", inspectedAs: "css", ...text },
  { type: "text/plain", endings: "txt log rst py sh toml", ...text },
  { type: "text/markdown", endings: "md", ...text },
  { type: "text/csv", endings: "csv", ...text },
  { type: "text/tab-separated-values", endings: "tsv", ...text },
  { type: "text/calendar", endings: "ics", ...text },
  { type: "text/vtt", endings: "vtt", ...text },
  { type: "text/xml", endings: "xml xsl xsd", ...text },
  { type: "text/javascript", endings: "js mjs cjs", inspectedAs: "module", ...text },
  { type: "text/x-component", endings: "rsc", ...text },
  { type: "application/json", endings: "json map", ...text },
  { type: "application/geo+json", endings: "geojson", ...text },
  { type: "application/manifest+json", endings: "webmanifest", inspectedAs: "manifest", ...text },
  { type: "application/ld+json", endings: "jsonld", ...text },
  { type: "application/x-ipynb+json", endings: "ipynb", ...text },
  { type: "application/yaml", endings: "yaml yml", ...text },
  { type: "application/rss+xml", endings: "rss", ...text },
  { type: "application/atom+xml", endings: "atom", ...text },
  { type: "application/rdf+xml", endings: "rdf", ...text },
  { type: "application/wasm", endings: "wasm", ...packed },
  { type: "application/pdf", endings: "pdf" },
  { type: "application/zip", endings: "zip" },
  { type: "application/gzip", endings: "gz tgz" },
  { type: "application/x-tar", endings: "tar" },
  { type: "application/epub+zip", endings: "epub" },
  { type: "font/woff", endings: "woff" },
  { type: "font/woff2", endings: "woff2" },
  { type: "font/ttf", endings: "ttf", ...packed },
  { type: "font/otf", endings: "otf", ...packed },
  { type: "application/vnd.ms-fontobject", endings: "eot", ...packed },
  { type: "image/svg+xml", endings: "svg", inspectedAs: "xml", ...text },
  { type: "image/svg+xml", endings: "svgz", inspectedAs: "xml", hasCharset: true, encoding: "gzip" },
  { type: "image/png", endings: "png" },
  { type: "image/jpeg", endings: "jpg jpeg" },
  { type: "image/gif", endings: "gif" },
  { type: "image/webp", endings: "webp" },
  { type: "image/avif", endings: "avif" },
  { type: "image/apng", endings: "apng" },
  { type: "image/jxl", endings: "jxl" },
  { type: "image/bmp", endings: "bmp", ...packed },
  { type: "image/x-icon", endings: "ico", ...packed },
  { type: "audio/mpeg", endings: "mp3" },
  { type: "audio/ogg", endings: "ogg oga opus" },
  { type: "audio/mp4", endings: "m4a" },
  { type: "audio/aac", endings: "aac" },
  { type: "audio/flac", endings: "flac" },
  { type: "audio/wav", endings: "wav" },
  { type: "video/mp4", endings: "mp4 m4v" },
  { type: "video/webm", endings: "webm" },
  { type: "video/ogg", endings: "ogv" },
  { type: "video/quicktime", endings: "mov" },
];

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
