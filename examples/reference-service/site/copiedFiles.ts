import { posix } from "node:path";
import { TAKEN_OUT } from "./sanitize.ts";
import { sanitizeSvg } from "./sanitizeSvg.ts";
import type { Warn } from "./warn.ts";

/**
 * Endings of files that are exported unchanged: browsers show, play or store them, and run nothing in them. All other files
 * (HTML, XML, JavaScript, unknown types) could run scripts under the site's own address, where no page may.
 */
const COPIED = new Set(
  `png apng jpg jpeg gif webp avif ico bmp
  woff woff2 ttf otf
  mp4 m4v webm ogv ogg oga opus mp3 m4a aac wav flac mov vtt
  pdf
  txt csv tsv json yaml yml toml zip gz tgz bz2 xz tar`.split(/\s+/),
);

/** Whether a file beside the pages can be part of the site. */
export function mayBeExported(path: string): boolean {
  return COPIED.has(endingOf(path)) || endingOf(path) === "svg";
}

/** The content as it is exported: unchanged, but drawings without anything that could run or load. */
export function exportedContent(path: string, content: Buffer, warn: Warn): Buffer | string {
  if (endingOf(path) !== "svg") return content;
  try {
    return sanitizeSvg(content, (name) => warn(name, TAKEN_OUT));
  } catch (error) {
    warn("the drawing", `is exported empty: ${(error as Error).message}`); // pages refer to it
    return `<svg xmlns="http://www.w3.org/2000/svg"/>\n`;
  }
}

function endingOf(path: string): string {
  return posix.extname(path).slice(1).toLowerCase();
}
