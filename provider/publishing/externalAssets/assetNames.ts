import { extname } from "node:path/posix";
import { plainHost } from "../../base/http/address";
import { isNotOnWindows } from "../archives/entryName";
import { isPage, MEDIA_TYPES, mediaTypeOf } from "../inspection/mediaTypes";
import type { LoadKind } from "./loadKinds";

/** The folder of what was fetched, below the site's root. */
export const ASSETS_FOLDER = "assets/external";

/** How many digits of the digest a name has. */
const DIGITS = 16;
/** Longest name of a folder or file without its digest, in characters, and how many folders a path has. */
const LONGEST_NAME = 60;
const MOST_FOLDERS = 8;

/** Types that the table of media types knows by another name. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  "application/javascript": ".js",
  "application/x-javascript": ".js",
  "application/ecmascript": ".js",
  "text/ecmascript": ".js",
  "application/font-woff": ".woff",
  "application/x-font-woff": ".woff",
  "application/font-woff2": ".woff2",
  "application/x-font-woff2": ".woff2",
  "font/sfnt": ".ttf",
  "application/x-font-ttf": ".ttf",
  "application/x-font-truetype": ".ttf",
  "application/x-font-opentype": ".otf",
  "application/x-font-otf": ".otf",
  "image/jpg": ".jpg",
  "image/x-icon": ".ico",
  "image/vnd.microsoft.icon": ".ico",
  "text/json": ".json",
};

/**
 * Where an asset is stored: below its host and its path, with a digest in its name. The name holds on every file system, and servers give
 * it the media type that its host gave it.
 *
 * @param sha256 of the stored content: hexadecimal digits
 */
export function assetPath(url: URL, kind: LoadKind, type: string, sha256: string): string {
  const names = url.pathname.split("/").filter((each) => each !== "");
  const last = url.pathname.endsWith("/") ? "index" : (names.pop() ?? "index");
  const extension = extensionOf(url.pathname, kind, type);
  const own = extname(last);
  const stem = own.toLowerCase() === extension && own !== last ? last.slice(0, -own.length) : last;
  return `${folderOf(url, names)}/${portable(stem)}.${sha256.slice(0, DIGITS)}${extension}`;
}

/** Where the assets of a folder of another host are stored. Ends with a slash. */
export function assetFolder(url: URL): string {
  const names = url.pathname.split("/").filter((each) => each !== "");
  return `${folderOf(url, names)}/`;
}

function folderOf(url: URL, names: readonly string[]): string {
  const folders = names.slice(0, 3).concat(names.slice(3).slice(3 - MOST_FOLDERS));
  return [ASSETS_FOLDER, hostOf(url), ...folders.map(portable)].join("/");
}

function hostOf({ hostname, port }: URL): string {
  const host = plainHost(hostname)
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, "_");
  return port === "" ? host : `${host}_${port}`;
}

function extensionOf(pathname: string, kind: LoadKind, type: string): string {
  const own = /^\.[a-z0-9]{1,12}$/.exec(extname(pathname).toLowerCase())?.[0] ?? "";
  const known = OTHER_TYPES[type] ?? MEDIA_TYPES.find((row) => row.type === type)?.endings.split(" ")[0];
  const wanted = known === undefined ? undefined : known.startsWith(".") ? known : `.${known}`;
  const isSame =
    wanted !== undefined && mediaTypeOf(`a${own}`)?.type === mediaTypeOf(`a${wanted}`)?.type && own !== "";
  const extension = wanted === undefined || isSame ? own : wanted;
  return isPage(`a${extension}`) && kind !== "document" ? "" : extension;
}

/** A name that every file system, bucket and web server holds. Lower case: names that differ only in case are one on some systems. */
function portable(name: string): string {
  let text = name;
  try {
    text = decodeURIComponent(name);
  } catch {
    // as it is
  }
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9._@-]+/g, "_")
    .replace(/^[.-]+/, "_")
    .slice(0, LONGEST_NAME)
    .replace(/\.+$/, "_");
  return plain === "" || isNotOnWindows(plain) ? `_${plain}` : plain;
}
