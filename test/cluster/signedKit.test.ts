// A cluster that admits only images with a signature by one key: a small webhook with cosign's own library refuses the others. It runs
// the site of a kit that this key signed.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { expect, test, type TestContext } from "vitest";
import { startServer } from "../copies/server.ts";
import { type KeyPair, newKey } from "../kit/kitFolder.ts";
import { signerOf, siteOf, writeSiteKit } from "../kit/kitWriter.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { CONTROL, registryWithBase } from "./closedNetwork.ts";
import { until } from "./installation.ts";
import { kubectlIn, list } from "./kubectl.ts";

const CHART = join(import.meta.dirname, "../../examples/self-hosted/chart");

function newFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "signed-kit-"));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a namespace that admits only pods whose images from a registry have a signature by a key. @returns its name */
async function guardedNamespace(
  context: TestContext,
  registry: string,
  { publicKey }: KeyPair,
): Promise<string> {
  const folder = newFolder(context);
  const { private: key, cert } = await generate([{ name: "commonName", value: "admission" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const files = { "tls.crt": cert, "tls.key": key, "cosign.pub": publicKey };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const paths = Object.keys(files).map((name) => join(folder, name));
  const webhook = await startServer(
    process.env["COSIGN"] ?? "cosign",
    ["admit", ...paths, `${registry}/`],
    {},
    /listening on (\S+)/,
  );
  context.onTestFinished(() => webhook.stop());

  const namespace = `docs-${randomBytes(4).toString("hex")}`;
  const kubectl = kubectlIn(namespace);
  const configuration = join(folder, "webhook.json");
  const rule = {
    apiGroups: [""],
    apiVersions: ["v1"],
    operations: ["CREATE", "UPDATE"],
    resources: ["pods"],
  };
  const url = `https://${webhook.ready[1] ?? ""}/`;
  writeFileSync(
    configuration,
    JSON.stringify({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: namespace },
      webhooks: [
        {
          name: "signatures.example.com",
          clientConfig: { url, caBundle: Buffer.from(cert).toString("base64") },
          rules: [rule],
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
          failurePolicy: "Fail",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    }),
  );
  await kubectl("create", "namespace", namespace);
  await kubectl("create", "--filename", configuration);
  context.onTestFinished(async () => {
    await kubectl("delete", "--filename", configuration);
    await kubectl("delete", "namespace", namespace, "--wait=false");
  });
  return namespace;
}

test("the site of a kit that the right key signed runs; of an unsigned kit, and with another key, the cluster refuses it", async (context) => {
  context.skip(
    CONTROL === undefined,
    "only the node that these tests start reaches a webhook on this machine",
  );
  const folder = newFolder(context);
  const { host, base } = await registryWithBase(context);
  const key = newKey();
  const namespace = await guardedNamespace(context, host, key);
  const kubectl = kubectlIn(namespace);
  const runs = (image: string): Promise<string> =>
    kubectl("run", "probe", "--restart=Never", `--image=${image}`, "--command", "--", "sleep", "1000");

  const request = { chart: CHART, images: [base], platforms: ["linux/amd64"], values: {} };
  const kits = {
    unsigned: await writeSiteKit(context, folder, "v1", request),
    "other-key": await writeSiteKit(context, folder, "v1", { ...request, signer: signerOf(newKey()) }),
    docs: await writeSiteKit(context, folder, "v1", { ...request, signer: signerOf(key) }),
  };
  for (const [path, kit] of Object.entries(kits)) {
    await runCommand("sh", [join(kit, "load.sh"), `${host}/${path}`, "--plain-http", "--with", "curl"]);
  }
  // all three are the same image: only the signature is not
  const images = Object.entries(kits).map(([path, kit]) => `${host}/${path}/site@${siteOf(kit)}`);
  expect(new Set(images.map((image) => image.split("@")[1])).size).toBe(1);
  const [unsigned = "", otherKey = "", signed = ""] = images;
  for (const image of [unsigned, otherKey]) {
    await expect(runs(image)).rejects.toThrow(`denied the request: the image ${image} is not signed`);
  }
  await expect(runs(`${host}/docs/site:v1`)).rejects.toThrow("has no digest");

  const programs = newFolder(context);
  symlinkSync(process.env["HELM"] ?? findCommand("helm") ?? "helm", join(programs, "helm"));
  const PATH = `${programs}:${process.env["PATH"] ?? ""}`;
  const args = [join(kits.docs, "install.sh"), `${host}/docs`, "--namespace", namespace];
  const installed = await runCommand("sh", args, { env: { ...process.env, PATH } });
  expect(installed).toContain("OK: the release docs serves the site of this kit.");
  const pods = await list(kubectl, "pods");
  expect(pods).toHaveLength(2);
  for (const { spec } of pods) expect(spec?.["containers"]).toMatchObject([{ image: signed }]);
  const [service] = await list(kubectl, "services");
  const address = `http://${String(service?.spec?.["clusterIP"])}/`;
  await until("the page is served", async () => (await (await fetch(address)).text()) === "This is v1");
});
