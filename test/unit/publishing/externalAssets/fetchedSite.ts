import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../../provider/base/runtime/time/clock.ts";
import { startDeadline, systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import {
  ExternalAssets,
  type ExternalFacts,
} from "../../../../provider/publishing/externalAssets/externalAssets.ts";
import type { FetchExternal } from "../../../../provider/publishing/externalAssets/options.ts";
import { unpackBundle } from "../../../../provider/publishing/inspection/bundle.ts";
import { tarGz } from "../../../chart/tarArchive.ts";
import { scriptedFetch, type ScriptedReply, type SeenRequest } from "../../../simulation/scriptedFetch.ts";
import { testContext } from "../../../simulation/testContext.ts";
import { bundleOnDisk, inspected, LIMITS } from "../archives/bundleOnDisk.ts";

/** What other hosts answer, by the whole address: `"never"` for nothing. Text alone is content of the type that the address ends with. */
export type Hosts = Readonly<Record<string, string | Uint8Array | Exclude<ScriptedReply, "never">>>;

export interface FetchedSite {
  /** By path below the site's root, in latin1. */
  readonly files: Readonly<Record<string, string>>;
  readonly facts: ExternalFacts;
  readonly digest: string;
  readonly requests: readonly SeenRequest[];
  /** The files below `assets/external`. */
  readonly stored: readonly string[];
}

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript",
  mjs: "text/javascript",
  png: "image/png",
  svg: "image/svg+xml",
  woff2: "font/woff2",
  html: "text/html",
  json: "application/json",
  vtt: "text/vtt",
  mp4: "video/mp4",
};

function replyOf(url: string, given: Hosts[string] | undefined): ScriptedReply {
  if (given === undefined) return { status: 404, text: "not found" };
  if (given === "never" || (typeof given !== "string" && !(given instanceof Uint8Array))) return given;
  const type = TYPES[/\.(\w+)$/.exec(new URL(url).pathname)?.[1] ?? ""];
  return { status: 200, headers: { ...(type !== undefined && { "content-type": type }) }, text: given };
}

/** Fetches what a site loads from other hosts, and passes the site on. */
export async function fetchedSite(
  site: Readonly<Record<string, string | Uint8Array>>,
  hosts: Hosts,
  {
    wanted = true,
    domain,
    clock = systemClock,
    ...policy
  }: {
    wanted?: FetchExternal;
    domain?: string;
    clock?: Clock;
    allowInsecure?: boolean;
    publicStorageOnly?: boolean;
  } = {},
): Promise<FetchedSite> {
  const { fetch, requests } = scriptedFetch(({ url }) => replyOf(url, hosts[url]));
  const scratch = mkdtempSync(join(tmpdir(), "fetched-"));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const all = { "index.html": "<title>Start</title>", ...site };
  const bundle = bundleOnDisk(tarGz(Object.entries(all).map(([name, content]) => ({ name, content }))));
  const context = {
    ...testContext({ fetch, clock }),
    deadline: startDeadline(clock, 3_600_000),
    policy: { allowInsecure: false, publicStorageOnly: false, ...policy },
    proxyFor: () => undefined,
    scratch: () => Promise.resolve(scratch),
  };
  const inspection = await inspected(bundle);
  const assets = await ExternalAssets.fetch(bundle, LIMITS, { ...inspection, domain }, wanted, context);
  const files: Record<string, string> = {};
  const sink = assets.sink({
    file: async ({ path, size }, content) => {
      const bytes = Buffer.concat(await Array.fromAsync(content));
      if (bytes.length !== size || path in files) {
        throw new Error(`${path} has ${bytes.length} bytes, not ${size}`);
      }
      files[path] = bytes.toString("latin1");
    },
  });
  await unpackBundle(bundle, LIMITS, sink, { ...inspection, signal: context.signal });
  const facts = await sink.finish();
  const stored = Object.keys(files)
    .filter((path) => path.startsWith("assets/external/") && !path.endsWith("fetched.json"))
    .sort();
  return { files, facts, digest: assets.digest, requests, stored };
}

/** The files without those that every test has. */
export const shownLoads = ({ facts }: FetchedSite): string[] =>
  facts.externalLoads.map(({ address, reason }) => `${address}: ${reason ?? "?"}`);

/** The beginning of a digest, as names of stored files have it. */
export const sha = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

export const PNG = "\u0089PNG";
