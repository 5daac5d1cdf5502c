import { isImmutable } from "../../../site/inspection/immutableFiles";
import { mediaTypeOf } from "../../../site/inspection/mediaTypes";

/** The headers that a file is served with. */
export interface FileHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Of content that is compressed already. */
  readonly contentEncoding?: string;
}

/** Increase it with every change of the result of {@link headersOf}: files that were sent with other headers are sent again. */
export const HEADERS_VERSION = 2;

/** The endings whose headers each version changed. */
const CHANGES: Readonly<Record<number, RegExp>> = {
  2: /\.(?:shtml|xhtml|xht|log|rst|py|sh|toml|tsv|xsd|ipynb|rdf|svgz)$/i,
};

/** Whether a version sent a file with the headers of {@link headersOf}. */
export function hasHeadersOf(version: number, path: string): boolean {
  if (!Number.isInteger(version) || version < 1 || version > HEADERS_VERSION) return false;
  return Object.entries(CHANGES).every(([since, endings]) => version >= Number(since) || !endings.test(path));
}

/** The results of {@link headersOf}: there are few, for many files. */
const made = new Map<string, FileHeaders>();

/** @param path below the site's root */
export function headersOf(path: string): FileHeaders {
  const { type = "application/octet-stream", hasCharset, encoding } = mediaTypeOf(path) ?? {};
  const cacheControl = isImmutable(path) ? "public, max-age=31536000, immutable" : "no-cache";
  const name = `${type} ${hasCharset} ${encoding} ${cacheControl}`;
  const known = made.get(name);
  if (known !== undefined) return known;
  const headers = {
    contentType: hasCharset ? `${type}; charset=utf-8` : type,
    cacheControl,
    ...(encoding !== undefined && { contentEncoding: encoding }),
  };
  made.set(name, headers);
  return headers;
}
