// `npm test -- copies`: the destinations of copies: real servers, built as Go modules, and other programs that read them.
import { join } from "node:path";
import { prepareAzurite } from "../programs/azurite.ts";
import { findCommand } from "../programs/commands.ts";
import { prepareDebianPackages } from "../programs/debianPackages.ts";
import {
  prepareCosign,
  prepareCrane,
  prepareFakeGcs,
  prepareRegistry,
  prepareVersitygw,
} from "../programs/goPrograms.ts";
import { runVitest } from "../programs/runVitest.ts";

const say = (what: string) => console.log(`copies: ${what}`);
const isRoot = process.platform === "linux" && process.getuid?.() === 0;
// other users have skopeo on PATH, or an error says that it is missing; a test that misses another one is skipped
const tools = {
  skopeo: "skopeo",
  bsdtar: "libarchive-tools",
  "7zz": "7zip",
  cpio: "cpio",
  pax: "pax",
  zip: "zip",
};
if (isRoot && Object.keys(tools).some((command) => findCommand(command) === undefined)) {
  await prepareDebianPackages(say, tools);
}
process.exitCode = await runVitest(join(import.meta.dirname, "vitest.config.ts"), {
  REGISTRY: await prepareRegistry(say),
  CRANE: await prepareCrane(say),
  AZURITE: await prepareAzurite(say),
  VERSITYGW: await prepareVersitygw(say),
  FAKE_GCS: await prepareFakeGcs(say),
  COSIGN: await prepareCosign(join(import.meta.dirname, "cosign"), say),
});
