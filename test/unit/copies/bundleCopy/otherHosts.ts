import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import type { CheckedCopyInputs } from "../../../../provider/copies/bundleCopy/inputs.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import type { CheckFailure } from "../../../../provider/resource/inputTable.ts";
import { localContext, packedSite } from "../../../simulation/packedSite.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { scriptedFetch, type ScriptedReply } from "../../../simulation/scriptedFetch.ts";

export const AT = "https://cdn.example.com/";

export const PAGE = `<title>Start</title><link rel="stylesheet" href="${AT}a.css"><p>welcome</p>`;

export const FONT: ScriptedReply = { headers: { "content-type": "font/woff2" }, text: "wOF2 1" };

export let folder: string;

/** What other hosts answer, by address. */
export let hosts: Record<string, ScriptedReply>;

/** From now on, only these answer. */
export function serveHosts(others: Record<string, ScriptedReply>): void {
  hosts = others;
}

/** Each test has other hosts, and a folder, of its own. */
export function withHosts(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "copy-external-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    hosts = {
      [`${AT}a.css`]: {
        headers: { "content-type": "text/css" },
        text: "@font-face { src: url(f.woff2) } body { background: url(x.png?key=s3cret) }",
      },
      [`${AT}f.woff2`]: FONT,
      [`${AT}x.png?key=s3cret`]: { headers: { "content-type": "image/png" }, text: "PNG" },
    };
  });
}

export function world(given: Partial<PublicationContext> = {}) {
  const { fetch, requests } = scriptedFetch(({ url }) => hosts[url] ?? { status: 404, text: "no" });
  const reporter = recordingReporter();
  return { context: localContext(folder, { fetch, reporter, ...given }), requests, reporter };
}

export function check(
  given: object,
  files: Record<string, string> = {},
): { inputs: CheckedCopyInputs; failures: CheckFailure[] } {
  const { file, fileSha256 } = packedSite(folder, "site", { "index.html": PAGE, ...files });
  const destination = { folder: join(folder, "copies"), layout: "site" };
  const source = { file, version: "v1", fileSha256 };
  return bundleCopy.check({ source, destination, ...given }, world().context.configuration);
}
