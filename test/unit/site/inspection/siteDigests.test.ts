import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { digestSite, SiteDigests } from "../../../../provider/site/inspection/siteDigests.ts";
import type { SiteFile } from "../../../../provider/site/archive/site.ts";
import { BundleRefusedError } from "../../../../provider/runtime/messages/errors.ts";
import { EXPORTED_FORMS, exported } from "../../../chart/exportedForms.ts";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { bundleOnDisk, LIMITS } from "../archive/bundleOnDisk.ts";

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");
const context = { signal: new AbortController().signal, reporter: recordingReporter() };
const DIGESTS = SITE.filter(({ type }) => type !== "5").map(({ name, content = "" }) => [
  name,
  sha256(content.toString()),
]);

test.each(EXPORTED_FORMS)("the digests of a bundle with $what are those of its site", async ({ files }) => {
  const digests = await digestSite(bundleOnDisk(tarGz(exported(files))), LIMITS, context);
  expect([...digests].sort()).toEqual(DIGESTS.sort());
});

test("a bundle that is refused has no digests", async () => {
  const bundle = bundleOnDisk(tarGz([{ name: "guide.html" }]));
  await expect(digestSite(bundle, LIMITS, context)).rejects.toThrow(BundleRefusedError);
});

test("a file that passes through to a sink arrives whole, and its digest is known", async () => {
  const arrived: unknown[] = [];
  const file = async ({ path, size }: SiteFile, content: AsyncIterable<Uint8Array>): Promise<void> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    arrived.push([path, size, Buffer.concat(pieces).toString()]);
  };
  const digests = new SiteDigests({ file });
  // eslint-disable-next-line @typescript-eslint/require-await -- as an archive is read
  const content = async function* (): AsyncIterable<Uint8Array> {
    yield Buffer.from("one ");
    yield Buffer.from("two");
  };
  await digests.file({ path: "a.html", size: 7 }, content());
  expect(arrived).toEqual([["a.html", 7, "one two"]]);
  expect([...digests.digests()]).toEqual([["a.html", sha256("one two")]]);
});
