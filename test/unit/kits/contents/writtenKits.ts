// Kits without images that a test writes, and what is in them.
import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import type { WrittenKit } from "../../../../provider/kits/contents/compareKit.ts";
import { pruneKits, releaseKits } from "../../../../provider/kits/contents/compareKit.ts";
import { type KitRequest, writeKit } from "../../../../provider/kits/contents/writeKit.ts";
import type { RegistryContext } from "../../../../provider/publishing/images/registry/exchange.ts";
import { signerFrom } from "../../../../provider/publishing/images/signing/signer.ts";
import type { PlaceContext } from "../../../../provider/publishing/ownership/placeOwner.ts";
import { OWNER } from "../../../simulation/owners.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** Everything of a test. */
export let folder: string;
/** The kits in it. */
export let kits: string;

/** Each test of the file gets folders of its own. Files share this module, so each of them calls it. */
export function inFoldersOfItsOwn(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kit-"));
    kits = join(folder, "kits");
    onTestFinished(() => rmSync(folder, { recursive: true }));
  });
}

export const clock = new VirtualClock();
export const operation = (
  signal: AbortSignal = new AbortController().signal,
): RegistryContext & PlaceContext => ({
  fetch: () => Promise.reject(new Error("no request is expected")),
  clock,
  reporter: recordingReporter(),
  secrets: new Secrets(),
  signal,
  deadline: startDeadline(clock, 60_000),
  environment: () => undefined,
  owner: OWNER,
});

export const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const signer = signerFrom("K", {
  environment: () => privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
});
export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export function request(given: Partial<KitRequest> = {}): KitRequest {
  const bytes = Buffer.from("not an archive: it was inspected before");
  const path = join(folder, "given.tar.gz");
  writeFileSync(path, bytes);
  const chart = join(folder, "chart");
  mkdirSync(chart, { recursive: true });
  writeFileSync(join(chart, "Chart.yaml"), "name: docs\nversion: 1.0.0\n");
  const bundle = {
    path,
    format: "tar.gz",
    sha256: sha256(bytes),
    size: bytes.length,
    version: "v 1",
    root: "",
    leftOut: [],
  } as const;
  return {
    bundle,
    chart,
    limits: { unpackedBytes: 1e6, files: 10 },
    images: [],
    platforms: ["linux/amd64"],
    values: { replicas: 2 },
    earlier: [],
    ...given,
  };
}
export const write = (given: Partial<KitRequest> = {}): Promise<WrittenKit> =>
  writeKit(request(given), { folder: kits, owner: "urn" }, operation());
export const inKit = ({ name }: WrittenKit, ...path: string[]): string => join(kits, name, ...path);
export const filesOf = (kit: WrittenKit): string[] =>
  readdirSync(inKit(kit), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(inKit(kit).length + 1))
    .sort();

/** Removes kits. @returns the messages */
export async function removed(
  gone: readonly WrittenKit[],
  kept: readonly WrittenKit[] = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<string[]> {
  const reporter = recordingReporter();
  const context = { ...operation(signal), reporter };
  const [newest, ...older] = kept;
  await (newest ? pruneKits(kits, gone, [newest, ...older], context) : releaseKits(kits, gone, context));
  return reporter.lines.warn;
}
