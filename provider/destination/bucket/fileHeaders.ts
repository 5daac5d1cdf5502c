import { extname } from "node:path";

/**
 * File extensions by media type: the same as in the chart's `nginx.conf`, so that both serve a site alike. We keep our own table
 * because small libraries such as mrmime 2 lack types that generators write (`.rsc`) and use other types for `.js` and `.ico`.
 */
const ENDINGS: Readonly<Record<string, string>> = {
  "text/html": "html htm",
  "text/css": "css",
  "text/plain": "txt",
  "text/markdown": "md",
  "text/csv": "csv",
  "text/calendar": "ics",
  "text/vtt": "vtt",
  "text/xml": "xml xsl",
  "text/javascript": "js mjs cjs",
  "text/x-component": "rsc",
  "application/json": "json map",
  "application/geo+json": "geojson",
  "application/manifest+json": "webmanifest",
  "application/ld+json": "jsonld",
  "application/yaml": "yaml yml",
  "application/rss+xml": "rss",
  "application/atom+xml": "atom",
  "application/wasm": "wasm",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/gzip": "gz tgz",
  "application/x-tar": "tar",
  "application/epub+zip": "epub",
  "font/woff": "woff",
  "font/woff2": "woff2",
  "font/ttf": "ttf",
  "font/otf": "otf",
  "application/vnd.ms-fontobject": "eot",
  "image/svg+xml": "svg",
  "image/png": "png",
  "image/jpeg": "jpg jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
  "image/apng": "apng",
  "image/jxl": "jxl",
  "image/bmp": "bmp",
  "image/x-icon": "ico",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg oga opus",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/wav": "wav",
  "video/mp4": "mp4 m4v",
  "video/webm": "webm",
  "video/ogg": "ogv",
  "video/quicktime": "mov",
};

const TYPES = new Map(
  Object.entries(ENDINGS).flatMap(([type, endings]) => endings.split(" ").map((ending) => [ending, type])),
);

/** Types of text content: their header includes the charset. */
const TEXT =
  /^(?:text\/.*|application\/(?:(?:geo|ld|manifest)\+json|json|yaml|(?:rss|atom)\+xml)|image\/svg\+xml)$/;

/**
 * File names with a content hash, as generators write them; the same as the chart's `web.immutablePattern`. Covers Next.js,
 * hexadecimal hashes, and the hashes of Vite.
 */
export const IMMUTABLE = new RegExp(
  [
    String.raw`/_next/static/.`,
    String.raw`(?<!-[0-9a-f]{4})[-.](?=[0-9a-f]*([0-9][a-f]+[0-9]|[a-f][0-9]+[a-f]))[0-9a-f]{8,64}(\.[A-Za-z]+){0,2}\.(?!html?$)[0-9a-z]+$`,
    String.raw`/assets/.*[-.](?=[^.]*[A-Z])(?=[^.]*[a-z])` +
      String.raw`(?!([a-z]?([A-Z]?[a-z]{2,}|[A-Z]{3,})+[0-9]*|([A-Za-z][a-z]*|[A-Z]+|[0-9]+)([-_]([A-Za-z][a-z]*|[A-Z]+|[0-9]+))+)\.)` +
      String.raw`[0-9A-Za-z_-]{8}(\.[a-z]+)?\.(?!html?$)[0-9a-z]+$`,
  ].join("|"),
);

/** The headers that a file is served with. */
export interface FileHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
}

/** Increase it with every change of the result of {@link headersOf}: files that were sent with other headers are sent again. */
export const HEADERS_VERSION = 1;

/** @param path below the site's root */
export function headersOf(path: string): FileHeaders {
  const type = TYPES.get(extname(path).slice(1).toLowerCase()) ?? "application/octet-stream";
  return {
    contentType: TEXT.test(type) ? `${type}; charset=utf-8` : type,
    cacheControl: isImmutable(path) ? "public, max-age=31536000, immutable" : "no-cache",
  };
}

/** Whether the content at a path never changes, judged by its name. */
export function isImmutable(path: string): boolean {
  return IMMUTABLE.test(`/${path}`);
}
