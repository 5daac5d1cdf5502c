import type { Platform } from "../registry/image";

/** `linux/amd64`, `linux/arm64/v8`: sites are served on Linux. */
const PLATFORM = /^linux\/[a-z0-9]+(?:\/[a-z0-9.]+)?$/;

/** What is wrong with the name of a platform, if anything. */
export function platformProblem(text: string): string | undefined {
  return PLATFORM.test(text) ? undefined : 'must be like "linux/amd64" or "linux/arm64"';
}

/** Whether an image for this platform is one that was asked for; without a variant, any one is. */
export function isWanted(wanted: readonly string[], platform: Platform): boolean {
  const { os, architecture } = platform;
  return [`${os}/${architecture}`, platformText(platform)].some((each) => wanted.includes(each));
}

export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(typeof variant === "string" ? [variant] : [])].join("/");
}
