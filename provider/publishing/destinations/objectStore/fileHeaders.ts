import { isImmutable } from "../../inspection/immutableFiles";
import { mediaTypeOf } from "../../inspection/mediaTypes";

/** The headers that a file is served with. */
export interface FileHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
  /** Of content that is compressed already. */
  readonly contentEncoding?: string;
}

/** The headers that an object has in a store. */
export type StoredHeaders = { readonly [Name in keyof FileHeaders]: string | undefined } & {
  /** Never sent: somebody set it. Browsers download a page that has it. */
  readonly contentDisposition?: string;
};

/**
 * The paths whose headers each version changed, from version 2 on: files that an earlier one sent are sent again. Every change of the
 * result of {@link headersOf} is a version.
 */
const CHANGES: readonly ((path: string) => boolean)[] = [
  (path) => /\.(?:shtml|xhtml|xht|log|rst|py|sh|toml|tsv|xsd|ipynb|rdf|svgz)$/i.test(path),
  // what is immutable
  (path) => IMMUTABLE_BEFORE_3.test(`/${path}`) !== isImmutable(path),
];
const FIRST_CHANGE = 2;

/** The version of the headers that files are sent with now. */
export const HEADERS_VERSION: number = FIRST_CHANGE + CHANGES.length - 1;

/** The names that counted as named after their content in versions 1 and 2. */
const IMMUTABLE_BEFORE_3 = new RegExp(
  [
    String.raw`/_next/static/.`,
    String.raw`(?<!-[0-9a-f]{4})[-.](?=[0-9a-f]*([0-9][a-f]+[0-9]|[a-f][0-9]+[a-f]))[0-9a-f]{8,64}(\.[A-Za-z]+){0,2}\.(?!html?$)[0-9a-z]+$`,
    String.raw`/assets/.*[-.](?=[^.]*[A-Z])(?=[^.]*[a-z])` +
      String.raw`(?!([a-z]?([A-Z]?[a-z]{2,}|[A-Z]{3,})+[0-9]*|([A-Za-z][a-z]*|[A-Z]+|[0-9]+)([-_]([A-Za-z][a-z]*|[A-Z]+|[0-9]+))+)\.)` +
      String.raw`[0-9A-Za-z_-]{8}(\.[a-z]+)?\.(?!html?$)[0-9a-z]+$`,
  ].join("|"),
);

/** Whether a version sent a file with the headers of {@link headersOf}. */
export function hasHeadersOf(version: number, path: string): boolean {
  if (!Number.isInteger(version) || version < 1 || version > HEADERS_VERSION) return false;
  return CHANGES.every((isChanged, at) => version >= at + FIRST_CHANGE || !isChanged(path));
}

/** Browsers ask each time whether it was changed. */
const REVALIDATED = "no-cache";

/** The results of {@link headersOf}: there are few, for many files. */
const made = new Map<string, FileHeaders>();

/** @param path below the site's root */
export function headersOf(path: string): FileHeaders {
  const { type = "application/octet-stream", hasCharset, encoding } = mediaTypeOf(path) ?? {};
  const cacheControl = isImmutable(path) ? "public, max-age=31536000, immutable" : REVALIDATED;
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

/** The headers of a file that browsers ask for again each time, whatever its name is. */
export const revalidated = (headers: FileHeaders): FileHeaders => ({ ...headers, cacheControl: REVALIDATED });

/** Whether an object is served with these headers, and with none that makes browsers download it. */
export function hasHeaders(stored: StoredHeaders, wanted: FileHeaders): boolean {
  return (
    stored.contentDisposition === undefined &&
    sameText(stored.contentType, wanted.contentType) &&
    sameText(stored.cacheControl, wanted.cacheControl) &&
    sameText(stored.contentEncoding, wanted.contentEncoding)
  );
}

/** Stores may write spaces and letter case of a header in another way. */
const sameText = (one = "", other = ""): boolean => plain(one) === plain(other);
const plain = (text: string): string => text.replace(/\s/g, "").toLowerCase();
