import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import { digestSite } from "../../../../provider/publishing/inspection/siteDigests.ts";
import { exported, EXPORTED_FORMS } from "../../../chart/exportedForms.ts";
import { SITE, tarGz } from "../../../chart/tarArchive.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { bundleOnDisk, LIMITS } from "../archives/bundleOnDisk.ts";

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
