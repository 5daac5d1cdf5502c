import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { runCommand } from "../programs/commands.ts";
import { buildInstallation, CANARY_KEY, type Installation, SHORT_LINK_LIFETIME_MS } from "./installation.ts";
import { type KubernetesObject, list } from "./kubectl.ts";
import { watchProcesses } from "./processArguments.ts";

test("L41: the link reaches the installation byte for byte, and is in the Secret and in Helm's own record only: in no other object, argument, log line, event or plain state", async (context) => {
  const seenProcesses = watchProcesses();
  const installation = await buildInstallation(context, {
    config: { version: "1", renewBefore: "1h" },
    linkLifetimeMs: SHORT_LINK_LIFETIME_MS,
  });
  await installation.up();
  const signatures = [signatureOf(await installation.link())];
  await installation.stack.preview();
  await installation.linkIsDue();
  await installation.up();
  signatures.push(signatureOf(await installation.link()));
  const exported = (await installation.stack.exportState()).find(({ type }) =>
    type.endsWith(":StaticExport"),
  );
  expect(await installation.link()).toBe(exported?.outputs["bundleUrl"]);
  expect(new Set(signatures).size).toBe(2);
  const commandLines = await seenProcesses();
  const canaries = [CANARY_KEY, ...signatures];

  // it is where it must be: the search below would find it
  const secrets = await list(installation.kubectl, "secrets");
  const holders = secrets.filter((secret) => mentions(secretText(secret), signatures));
  expect(holders.map(({ metadata }) => metadata.name).sort()).toEqual([
    expect.stringMatching(/^docs-/),
    expect.stringMatching(/^sh\.helm\.release\.v1\.docs\.v\d+$/),
    expect.stringMatching(/^sh\.helm\.release\.v1\.docs\.v\d+$/),
  ]);
  expect(commandLines.some((line) => line.includes("fetch"))).toBe(true);

  const places = {
    ...(await everyObject(installation)),
    "logs of the pods": await installation.kubectl(
      ...["logs", "--selector=app.kubernetes.io/instance=docs", "--all-containers", "--tail=-1"],
    ),
    "command lines": commandLines.join("\n"),
    "what was shown": installation.shown(),
    "files of the state": (await stateTexts(installation)).join("\n"),
  };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(0);
    expect(mentions(text, canaries), place).toBe(false);
  }
});

/** The signature of a link. */
function signatureOf(link: string): string {
  const signature = new URL(link).searchParams.get("signature") ?? "";
  expect(signature.length).toBeGreaterThan(20);
  return signature;
}

function mentions(text: string, canaries: readonly string[]): boolean {
  return canaries.some((canary) =>
    [canary, encodeURIComponent(canary), Buffer.from(canary).toString("base64").slice(0, -3)].some((form) =>
      text.includes(form),
    ),
  );
}

/** The plain content of a Secret; Helm packs its record once more. */
function secretText({ data = {} }: KubernetesObject): string {
  return Object.values(data)
    .map((value) => {
      const bytes = Buffer.from(value, "base64");
      const packed = Buffer.from(bytes.toString(), "base64");
      return packed[0] === 0x1f && packed[1] === 0x8b ? gunzipSync(packed).toString() : bytes.toString();
    })
    .join("\n");
}

/** All objects of all kinds in the whole cluster, except Secrets. */
async function everyObject({ kubectl }: Installation): Promise<Record<string, string>> {
  const kinds = await runCommand("kubectl", ["api-resources", "--verbs=list", "--output=name"]);
  const found: Record<string, string> = {};
  for (const kind of kinds.trim().split("\n")) {
    if (kind === "secrets") continue;
    found[kind] = await kubectl("get", kind, "--all-namespaces", "--output=yaml", "--show-managed-fields");
  }
  return found;
}

async function stateTexts({ stack }: Installation): Promise<string[]> {
  return Promise.all((await stack.stateFiles()).map((file) => readFile(file, "latin1")));
}
