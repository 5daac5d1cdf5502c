import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { tarEnd, tarHeader, tarPadding } from "../../provider/publishing/archives/writeTar.ts";
import { runCommand } from "../programs/commands.ts";

/** Runs crane, which uses http for this machine by itself. @returns its output */
export async function crane(...args: string[]): Promise<string> {
  return (await runCommand(process.env["CRANE"] ?? "crane", args)).trim();
}

/** A folder that is removed when the test ends. */
export async function scratchFolder(context: Pick<TestContext, "onTestFinished">): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "copies-"));
  context.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The bytes of a tar archive. */
export function tarOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text as string);
    return [tarHeader({ path: name, size: content.length }), content, tarPadding(content.length)];
  });
  return Buffer.concat([...parts, tarEnd()]);
}

/** Pushes an image with one layer, which is empty. */
export async function pushEmptyImage(name: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "copies-"));
  try {
    const layer = join(folder, "layer.tar");
    await writeFile(layer, tarOf({}));
    await crane("append", "--oci-empty-base", "-f", layer, "-t", name);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The platforms of a base of the tests. */
export const ARCHITECTURES = ["amd64", "arm64"] as const;

/**
 * Pushes an index of images for two platforms that could be an nginx image, and its attestations.
 *
 * @param weights additional bytes, which cannot be compressed, in the image of a platform
 * @returns its digest
 */
export async function pushBase(
  context: Pick<TestContext, "onTestFinished">,
  name: string,
  weights: Partial<Record<(typeof ARCHITECTURES)[number], number>> = {},
): Promise<string> {
  const folder = await scratchFolder(context);
  const images: string[] = [];
  for (const architecture of ARCHITECTURES) {
    images.push(`${name}-${architecture}`);
    await pushPlatformImage(folder, architecture, `${name}-${architecture}`, weights[architecture]);
  }
  const about = `${name}-about`;
  await pushEmptyImage(about);
  await crane("mutate", about, "--set-platform", "unknown/unknown", "-t", about);
  await crane("index", "append", ...[...images, about].flatMap((image) => ["-m", image]), "-t", name);
  return crane("digest", name);
}

async function pushPlatformImage(
  folder: string,
  architecture: string,
  name: string,
  weight = 0,
): Promise<void> {
  const layer = join(folder, `${architecture}.tar`);
  const files = {
    "usr/share/nginx/html/index.html": "Welcome to nginx!",
    "usr/share/nginx/html/50x.html": "An error occurred.",
    "usr/sbin/nginx": `for ${architecture}`,
    ...(weight > 0 && { "usr/lib/heavy": randomBytes(weight) }),
  };
  await writeFile(layer, tarOf(files));
  await crane("append", "--platform", `linux/${architecture}`, "--oci-empty-base", "-f", layer, "-t", name);
  const changes = {
    "set-platform": `linux/${architecture}`,
    entrypoint: "/docker-entrypoint.sh",
    cmd: "nginx",
    user: "101",
    label: "maintainer=nobody",
  };
  const flags = Object.entries(changes).flatMap(([flag, value]) => [`--${flag}`, value]);
  await crane("mutate", name, ...flags, "-t", name);
}
