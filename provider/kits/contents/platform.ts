import type { Platform } from "../../images/registry/image";

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
