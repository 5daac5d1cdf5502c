import { mediaTypeOf } from "../inspection/mediaTypes";

/** What a reference loads, as far as the place that has it says so. */
export type LoadKind =
  | "script"
  | "module"
  | "style"
  | "font"
  | "image"
  | "media"
  | "track"
  | "manifest"
  | "json"
  /** What a style or a `<link>` loads, of a kind that is not said. */
  | "any"
  /** A page within the page. */
  | "document";

const SCRIPT =
  /^(?:(?:text|application)\/(?:x-)?(?:java|ecma)script|text\/jscript|text\/livescript|application\/node)$/;
const IMAGE = /^image\//;
const FONT =
  /^(?:font\/|application\/(?:x-)?font|application\/vnd\.ms-fontobject$|application\/x-truetype-font$)/;
const MEDIA = /^(?:audio|video)\/|^application\/ogg$/;
const JSON_TYPE = /^(?:application|text)\/(?:[\w.-]+\+)?json$/;
const WASM = /^application\/wasm$/;

/** The media types that are accepted for each kind. A type that says nothing is accepted for kinds whose content says more. */
const ACCEPTED: Readonly<
  Record<LoadKind, { readonly types: readonly RegExp[]; readonly isBinary?: true; readonly name: string }>
> = {
  script: { types: [SCRIPT], name: "a script" },
  module: { types: [SCRIPT], name: "a module" },
  style: { types: [/^text\/css$/], name: "a style sheet" },
  font: { types: [FONT, /^image\/svg\+xml$/], isBinary: true, name: "a font" },
  image: { types: [IMAGE], isBinary: true, name: "an image" },
  media: { types: [MEDIA], isBinary: true, name: "audio or video" },
  track: { types: [/^text\/vtt$/], name: "a text track" },
  manifest: { types: [/^application\/manifest\+json$/, JSON_TYPE], name: "a manifest" },
  json: { types: [JSON_TYPE], name: "JSON" },
  any: {
    types: [SCRIPT, IMAGE, FONT, MEDIA, JSON_TYPE, WASM, /^text\/css$/, /^text\/vtt$/],
    isBinary: true,
    name: "a file that pages load",
  },
  document: {
    types: [/^text\/html$/, /^application\/xhtml\+xml$/, IMAGE, /^application\/pdf$/],
    name: "a page",
  },
};

/** Types with which servers answer for content that they do not know. */
const UNKNOWN_TYPE = /^(?:|application\/octet-stream|binary\/octet-stream|application\/x-binary)$/;
/** Lists of further addresses, which a player reads. */
const PLAYLIST = /mpegurl|dash\+xml/;
const WEB_PAGE = /^\s*(?:<!--[^]{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body|title)\b/i;

/**
 * Why a reply is not what the page wants to load.
 *
 * @param type as the server gives it, without parameters
 */
export function contentProblem(
  kind: LoadKind,
  type: string,
  url: URL,
  bytes: Uint8Array,
): string | undefined {
  const { types, isBinary, name } = ACCEPTED[kind];
  if (PLAYLIST.test(type)) return "it is a playlist: a player loads more that it names";
  if (kind !== "document" && isWebPage(bytes)) return `the host answers with a web page instead of ${name}`;
  if (UNKNOWN_TYPE.test(type)) {
    if (bytes.length === 0 && isBinary) return "the host answers with nothing";
    // a browser takes the type from the content, or does not ask for it; the copy takes it from the name
    return isBinary || types.some((each) => each.test(mediaTypeOf(url.pathname)?.type ?? ""))
      ? undefined
      : `the host does not say that it is ${name}`;
  }
  if (bytes.length === 0 && isBinary) return "the host answers with nothing";
  return types.some((each) => each.test(type))
    ? undefined
    : `the host answers with ${type} instead of ${name}`;
}

function isWebPage(bytes: Uint8Array): boolean {
  return WEB_PAGE.test(
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2_048)).toString("latin1"),
  );
}
