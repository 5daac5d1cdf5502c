// examples/promotion/preview on the cluster: a bundle of CI in a namespace of its own, another one for the next commit, and the end.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "tar";
import { expect, test } from "vitest";
import { crane } from "../copies/images.ts";
import { registryWithBase } from "./closedNetwork.ts";
import { buildInstallation, clusterValues, until } from "./installation.ts";
import { kubectlIn, list } from "./kubectl.ts";

const PREVIEW = join(import.meta.dirname, "../../examples/promotion/preview");
const STACK = "pr-12";
const NAMESPACE = `docs-${STACK}`;

test("the preview of a pull request serves its bundle in a namespace of its own, then the next commit's, and leaves nothing", async (context) => {
  context.skip(
    process.env["CLUSTER_NODE_CONTROL"] === undefined,
    "the registry is in the network of the node that these tests start",
  );
  const { host, base } = await registryWithBase(context);
  const folder = await mkdtemp(join(tmpdir(), "preview-"));
  context.onTestFinished(() => rm(folder, { recursive: true }));
  const kubectl = kubectlIn(NAMESPACE);
  const found = (): Promise<string> =>
    kubectl("get", "namespace", NAMESPACE, "--ignore-not-found", "-o=name");
  context.onTestFinished(
    () => void kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found", "--wait=false"),
  );

  const { service, open } = await buildInstallation(context);
  const stack = await open({
    program: join(PREVIEW, "index.ts"),
    project: "docs-preview",
    stack: STACK,
    config: {
      bundle: join(folder, "site.tar.gz"),
      repository: `${host}/docs-previews`,
      base,
      values: JSON.stringify(clusterValues()),
    },
    env: { DOCS_HOSTING_ADMIN_API_KEY: undefined }, // it needs none
  });
  /** Builds a site as CI does, and runs `pulumi up` for the commit. @returns the page that the Service then answers with */
  const commit = async (version: string): Promise<string> => {
    const site = join(folder, "site");
    await mkdir(site, { recursive: true });
    await writeFile(join(site, "index.html"), `<h1>Commit ${version}</h1>`);
    await create({ file: join(folder, "site.tar.gz"), cwd: site, gzip: true }, ["."]);
    await stack.setConfig("version", version);
    const startedAt = performance.now();
    const { ok, error, text } = await stack.up();
    if (!ok) throw new Error(`${String(error)}\n${text}\n${await kubectl("describe", "pods")}`);
    const page = await served(version);
    console.log(`preview: ${version}: served after ${Math.round(performance.now() - startedAt)} ms`);
    return page;
  };
  const served = (version: string): Promise<string> =>
    until(`the Service answers with commit ${version}`, async () => {
      const [web] = await list(kubectl, "services", "--selector=app.kubernetes.io/instance=docs");
      const { clusterIP = "" } = (web?.spec ?? {}) as { clusterIP?: string };
      const page = await fetch(`http://${clusterIP}/`)
        .then((response) => response.text())
        .catch(() => "");
      return page.includes(version) && page;
    });

  expect(await found()).toBe("");
  expect(await commit("c0ffee1")).toContain("<h1>Commit c0ffee1</h1>");
  expect(await found()).toContain(NAMESPACE);
  expect(await commit("c0ffee2")).toContain("<h1>Commit c0ffee2</h1>");
  expect(await crane("catalog", host)).toContain(`docs-previews/${STACK}`);

  const startedAt = performance.now();
  const { ok, error } = await stack.destroy();
  expect(error).toBeUndefined();
  expect(ok).toBe(true);
  console.log(`preview: gone after ${Math.round(performance.now() - startedAt)} ms`);
  expect(await found()).toBe("");
  expect(await crane("ls", `${host}/docs-previews/${STACK}`)).toBe("");
  await stack.remove();
  expect(service.requests).toEqual([]);
});
