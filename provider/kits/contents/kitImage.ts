import { type Base, type Manifest, parseBase, type Platform } from "../../publishing/index";

/** An image of a kit. */
export interface KitImage {
  /** `NAME:TAG`. */
  readonly name: string;
  /** Its name and digest in the registry that it was pulled from. Absent for the site's own image. */
  readonly base?: Base;
  /** Whether it is the site's own image. */
  readonly isSite: boolean;
  /** What its name refers to: its manifest, or for several platforms the index of its manifests. */
  readonly top: Manifest;
  readonly platforms: readonly string[];
}

/** Name of the site's own image. */
const SITE = "site";
/** Longest tag, in characters. */
const TAG_LIMIT = 128;
/** How many digits of its digest become the tag of an image without a tag. */
const DIGEST_DIGITS = 12;

/**
 * The name of an image within a kit, `NAME:TAG`. It has no registry and no folders, because the kit's user pushes it to another
 * registry.
 *
 * @param reference as the user writes it
 */
export function nameInKit(reference: string): string {
  const { path, tag, digest = "" } = parseBase(reference);
  const [, digits = ""] = digest.split(":");
  return `${path.split("/").at(-1) ?? ""}:${tag ?? `sha256-${digits.slice(0, DIGEST_DIGITS)}`}`;
}

/** The name of the site's image within a kit. */
export function siteName(version: string): string {
  return `${SITE}:${labelOf(version, TAG_LIMIT) || "latest"}`;
}

/** A version as a part of a name. @param most characters */
export function labelOf(version: string, most: number): string {
  const plain = version.replace(/[^\w.-]+/g, "-").replace(/^[.-]+/, "");
  return plain.slice(0, most);
}

/** Reports two images with the same name in the kit, or an image with the name of the site's own image. */
export function nameProblem(references: readonly string[]): string | undefined {
  const names = references.map(nameInKit);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) {
    return `two of them would be ${duplicate} in the kit, because names there have no registry: give one of them another tag`;
  }
  const taken = names.find((name) => name.startsWith(`${SITE}:`));
  return taken === undefined ? undefined : `${taken} is the name of the site's own image in the kit`;
}

/** Platforms such as `linux/amd64` and `linux/arm64/v8`: sites are served on Linux. */
const PLATFORM = /^linux\/[a-z0-9]+(?:\/[a-z0-9.]+)?$/;

/** The problem of a platform's name, if any. */
export function platformProblem(text: string): string | undefined {
  return PLATFORM.test(text) ? undefined : 'must be like "linux/amd64" or "linux/arm64"';
}

/** Whether an image's platform was requested; a requested platform without a variant matches every variant. */
export function isWanted(wanted: readonly string[], platform: Platform): boolean {
  const { os, architecture } = platform;
  return [`${os}/${architecture}`, platformText(platform)].some((each) => wanted.includes(each));
}

/** A platform as a text: `linux/arm64/v8`. */
export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(typeof variant === "string" ? [variant] : [])].join("/");
}
