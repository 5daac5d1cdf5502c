// A kit on a machine without Node.js and Pulumi, beside a node without egress: its README, step by step.
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { startRegistry } from "../copies/registry.ts";
import { runCommand } from "../programs/commands.ts";
import { startBareMachine } from "./bareMachine.ts";
import { openBrowser } from "./browser.ts";
import { closeGap, registryWithBase } from "./closedNetwork.ts";
import { copyExample } from "./copiedExample.ts";
import { buildInstallation, until } from "./installation.ts";
import { kubectlIn, list } from "./kubectl.ts";

const ROOT = join(import.meta.dirname, "../..");
/** As the kit's README names it, and the address of its last command but one. */
const NAMESPACE = "docs";
const PAGE = "http://127.0.0.1:8080/";

const PROGRAM = `
import * as pulumi from "@pulumi/pulumi";
import { AirGapKit, StaticExport } from "pulumi-docs-hosting";

const config = new pulumi.Config();
const docs = new StaticExport("docs", { domain: config.require("domain"), version: config.require("version") });
const kit = new AirGapKit("kit", {
  source: docs,
  folder: config.require("folder"),
  chart: config.require("chart"),
  images: [config.require("base")],
  offlineSearch: true,
  since: config.get("since"),
  signingKeyEnv: "KIT_SIGNING_KEY",
});
export const { path, size, signed } = kit;
`;

/** The side with a network: an export, and kits of it. */
async function connectedSide(context: TestContext) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const example = await copyExample(context, "air-gapped");
  await example.changeProgram(() => PROGRAM);
  const folder = join(example.program, "../kits");
  const { base } = await registryWithBase(context);
  const chart = join(ROOT, "examples/self-hosted/chart");
  const installation = await buildInstallation(context, {
    program: example.program,
    config: { version: "1", folder, base, chart },
    env: { KIT_SIGNING_KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString() },
  });
  /** Writes the next kit. @returns its folder, and its size in bytes */
  const write = async (config: Record<string, string>): Promise<{ path: string; size: number }> => {
    await installation.setConfig(config);
    const { outputs } = await installation.up();
    expect(outputs["signed"]?.value).toBe(true);
    return { path: String(outputs["path"]?.value), size: Number(outputs["size"]?.value) };
  };
  return { ...installation, write, publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

/** The commands in a kit's README, by the numbers of its steps. */
function stepsOf(kit: string): Map<number, string> {
  const readme = readFileSync(join(kit, "README.md"), "utf8");
  const steps = readme.split(/^## (?=\d+\.)/m).slice(1);
  return new Map(
    steps.map((text) => [
      Number.parseInt(text, 10),
      [...text.matchAll(/```sh\n(.*?)\n```/gs)].map(([, block = ""]) => block).join("\n"),
    ]),
  );
}

test("its README leads from a medium to pages in a browser, then to a differential kit, and back", async (context) => {
  const { page, requested, complaints } = await openBrowser(context);
  await closeGap(context);
  const connected = await connectedSide(context);
  const first = await connected.write({ version: "1" });
  await connected.writeStartPage("# Welcome\\n\\nThe second edition.\\n");
  const second = await connected.write({ version: "2", since: join(first.path, "manifest.json") });
  expect(second.size).toBeLessThan(first.size / 10);
  await connected.service.close();

  const machine = await startBareMachine(context);
  await expect(machine.type("/", "command -v node npm pulumi")).rejects.toThrow("127");
  await machine.write("root/key.pem", connected.publicKey);
  const registry = await startRegistry(context);
  const kubectl = kubectlIn(NAMESPACE);
  context.onTestFinished(
    () => void kubectl("delete", "namespace", NAMESPACE, "--wait=false", "--ignore-not-found"),
  );

  /** Runs steps of a kit's README in one shell, with the test's key, registry and folder in place of the README's. */
  const follow = async (kit: string, steps: readonly number[]): Promise<string> => {
    const medium = await machine.insert(kit, `${steps.join("-")}-${kit.split("/").at(-1) ?? ""}`);
    const texts = stepsOf(kit);
    const lines = steps.map((step) => texts.get(step) ?? "");
    return machine.type(
      medium,
      lines
        .join("\n")
        .replaceAll("/path/to/public-key.pem", "/root/key.pem")
        .replaceAll("sh load.sh registry.internal/docs", `sh load.sh ${registry.host}/docs --plain-http`)
        .replaceAll("registry.internal/docs", `${registry.host}/docs`),
    );
  };
  /** What a browser shows while the README's command for it runs. */
  const expectPage = async (text: string): Promise<void> => {
    const end = machine.leaveRunning(stepsOf(first.path).get(9) ?? "");
    try {
      await until("the page can be reached", () =>
        fetch(PAGE)
          .then(({ ok }) => ok)
          .catch(() => false),
      );
      requested.length = 0;
      expect((await page.goto(PAGE))?.status()).toBe(200);
      expect(await page.locator("main").textContent()).toContain(text);
      await page.keyboard.press("/");
      await page.locator("dialog.docs-hosting-search").waitFor();
      await page.keyboard.type("edition");
      await until("the search shows this edition", async () =>
        (await page.getByRole("option").allTextContents()).some((found) => found.includes(text)),
      );
      expect(requested.filter((address) => !address.startsWith(PAGE))).toEqual([]);
    } finally {
      await end();
    }
  };

  // a registry without passwords needs no step 4
  const installed = await follow(first.path, [1, 2, 3, 5, 6, 7, 8]);
  for (const line of [
    "Signature Verified Successfully",
    "verify.sh: OK",
    "OK: signed by the key of /root/key.pem.",
    "Loading with curl into",
    `OK: all images are in ${registry.host}/docs, with the kit's digests.`,
    "OK: the release docs serves the site of this kit.",
  ]) {
    expect(installed).toContain(line);
  }
  expect(installed.match(/ 1\/1 +Running /g)).toHaveLength(2);
  for (const { spec } of await list(kubectl, "pods")) {
    expect(JSON.stringify(spec)).toContain(`"image":"${registry.host}/docs/site@sha256:`);
  }
  await expectPage("The first edition.");

  const upgraded = await follow(second.path, [1, 2, 5, 6, 7, 8]);
  expect(upgraded).toContain(`there already: ${registry.host}/docs/nginx:1@sha256:`);
  await expectPage("The second edition.");

  expect(await follow(first.path, [7])).toContain("OK: the release docs serves the site of this kit.");
  await expectPage("The first edition.");
  expect(complaints).toEqual([]);
});

const PROGRAM_INSIDE = `
import * as pulumi from "@pulumi/pulumi";
import { BundleCopy } from "pulumi-docs-hosting";
import { SelfHostedDocs } from "pulumi-docs-hosting/kubernetes";

const config = new pulumi.Config();
const copy = new BundleCopy("docs", {
  source: { file: config.require("kit") + "/bundle.tar.gz", version: config.require("version") },
  destination: { repository: config.require("registry") + "/site", base: config.require("registry") + "/nginx:1" },
});
new SelfHostedDocs("docs", {
  staticExport: copy,
  chart: config.require("chart"),
  deploymentKind: "air-gapped",
  namespace: config.require("namespace"),
  values: config.requireObject("values"),
  release: { name: "docs" },
});
export const image = copy.image;
`;

test("a program installs from a kit, with no service configured and no key", async (context) => {
  await closeGap(context);
  const connected = await connectedSide(context);
  const { path } = await connected.write({ version: "1" });
  const registry = await startRegistry(context);
  const target = `${registry.host}/docs`;
  await runCommand("sh", [join(path, "load.sh"), target, "--plain-http"]);

  const example = await copyExample(context, "air-gapped");
  await example.changeProgram(() => PROGRAM_INSIDE);
  const [chart = ""] = readdirSync(join(path, "chart"));
  const inside = await buildInstallation(context, {
    program: example.program,
    servesImage: true,
    config: { version: "1", kit: path, chart: join(path, "chart", chart), registry: target },
    env: { DOCS_HOSTING_BASE_URL: undefined, DOCS_HOSTING_ADMIN_API_KEY: undefined },
  });
  const { outputs } = await inside.up();
  await inside.serves("The first edition.");
  expect(String(outputs["image"]?.value)).toContain(`${target}/site@sha256:`);
  expect(inside.service.requests).toEqual([]);
});
