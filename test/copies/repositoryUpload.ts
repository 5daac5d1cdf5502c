// A run that puts a copy into a registry, in its own process that tests kill: for `repositoryKills.test.ts` and
// `signedKills.test.ts`. Arguments: repository, base (may be empty), folder with the site, scratch folder. With a key in the variable
// SIGNING_KEY, the copy is signed. Prints "begun", then "done" and the image.
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { repositoryDestination } from "../../dist/provider/publishing/destinations/repository/repositoryDestination.js";
import { signerFrom } from "../../dist/provider/publishing/images/signing/signer.js";
import { builtContext } from "./builtContext.ts";

const [repository = "", base = "", site = "", scratch = ""] = process.argv.slice(2);
const bundle = {
  path: "/nowhere",
  format: "tar.gz",
  sha256: "ab".repeat(32),
  size: 1,
  version: "2",
  jobId: "job-2",
  domain: "docs.example.com",
} as const;
// the tests put an image of nobody's at the tag
const context = { ...builtContext(scratch), takeOver: true };
const draft = await repositoryDestination({
  repository,
  tag: "current",
  ...(base !== "" && { base }),
}).begin(bundle, context);
for (const path of (await readdir(site)).sort()) {
  const file = join(site, path);
  await draft.sink?.file({ path, size: (await stat(file)).size }, createReadStream(file));
}
console.log("begun");
const signing = process.env["SIGNING_KEY"] !== undefined && {
  signer: signerFrom("SIGNING_KEY", context),
  origin: { bundle, serviceUrl: "https://service.example.com" },
};
const { image } = await draft.publish(undefined, signing || undefined);
console.log(`done ${image ?? ""}`);
