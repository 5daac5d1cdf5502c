import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { freePort } from "../programs/freePort.ts";
import { startNameServer } from "./nameServer.ts";
import { only, podTemplate, render, serving, type Values } from "./renderedChart.ts";
import { WebServer } from "./webServer.ts";

const FOR_EVER = "public, max-age=31536000, immutable";
const scriptOf = (digest: string) => `/assets/app-${digest}.js`;
const [OLD, NEW] = [scriptOf("0a1b2c3d"), scriptOf("9f8e7d6c")];
const page = (script: string) => `<script src="${script}"></script>`;

/** Pods of two versions that a name server lists, each with a page and its script. Only the port is the same. */
async function startPods(
  context: TestContext,
  values: Values = {},
): Promise<{ old: WebServer; fresh: WebServer; pods: WebServer[] }> {
  const manifests = await render(serving(values));
  const env = podTemplate(manifests).spec.containers[0]?.env ?? [];
  const service = env.find(({ name }) => name === "OTHER_PODS")?.value ?? "";
  const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
  // one of them is not ready yet: it refuses connections
  const names = await startNameServer(context, `${service}.svc.cluster.local`, addresses);
  const port = await freePort();
  const start = async (host: string, script: string) => {
    const pod = new WebServer();
    context.onTestFinished(() => pod.remove());
    Object.assign(pod, { host, port });
    pod.write({ "index.html": page(script), [script.slice(1)]: `run("${script}")`, "404.html": "none" });
    const resolvConf = join(pod.root, "resolv.conf");
    writeFileSync(
      resolvConf,
      `search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 127.0.0.1:${names}\n`,
    );
    await pod.start(manifests, { OTHER_PODS: service, RESOLV_CONF: resolvConf });
    return pod;
  };
  const [old, fresh] = [await start("127.0.0.2", OLD), await start("127.0.0.3", NEW)];
  return { old, fresh, pods: [old, fresh] };
}

describe("while pods of two versions serve", () => {
  test("no page lacks its script, whichever pod is asked for each", async (context) => {
    const { pods } = await startPods(context);
    const broken: string[] = [];
    for (let request = 0; request < 400; request += 1) {
      const [first, second] = [pods[request % 2], pods[(request >> 1) % 2]];
      const html = (await first?.get("/"))?.body.toString() ?? "";
      const src = /src="(.*?)"/.exec(html)?.[1] ?? "";
      const reply = await second?.get(src);
      if (reply?.status !== 200 || reply.body.toString() !== `run("${src}")`) broken.push(src);
    }
    expect(broken).toEqual([]);
  });

  test("such a file has the headers of a file of the pod's own, once", async (context) => {
    const { old } = await startPods(context);
    const { status, headers } = await old.get(NEW);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe(FOR_EVER);
    expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(String(headers["content-security-policy"]).match(/default-src/g)).toHaveLength(1);
    expect((await old.get(NEW, { "if-none-match": headers.etag ?? "" })).status).toBe(304);
    expect((await old.get(NEW, { range: "bytes=0-2" })).body.toString()).toBe("run");
  });

  test("a file that no pod has, a page, and a request of another pod end there, with the site's 404 page", async (context) => {
    const { old, fresh } = await startPods(context);
    for (const [path, headers] of [
      [scriptOf("5a5b5c5d"), {}],
      ["/nope", {}],
      [NEW, { "x-docs-server-pod": "asks" }],
    ] as const) {
      const { status, body, headers: answered } = await old.get(path, headers);
      expect([path, status, body.toString()]).toEqual([path, 404, "none"]);
      expect(answered["cache-control"]).toBe("no-cache");
    }
    expect((await old.get(NEW, {}, "POST")).status).toBeGreaterThan(403);
    expect((await fresh.get("/assets/app-0a1b2c3d.html")).status).toBe(404);
  });

  test("without a name server, or switched off, a pod has only its own files", async (context) => {
    const manifests = await render(serving({ web: { askOtherPods: false } }));
    expect(JSON.stringify(only(manifests, "Deployment"))).not.toContain("OTHER_PODS");
    expect(manifests.filter(({ kind }) => kind === "Service")).toHaveLength(1);
    const server = new WebServer();
    context.onTestFinished(() => server.remove());
    server.write({ "index.html": page(OLD), [OLD.slice(1)]: "old" });
    await server.start(await render(serving()), { OTHER_PODS: "pods.default", RESOLV_CONF: "/nonexistent" });
    expect((await server.get(OLD)).status).toBe(200);
    expect((await server.get(NEW)).status).toBe(404);
  });
});

describe.each(["", "/docs"])("the files of the version before, below «%s»,", (basePath) => {
  test("are served if they are named after their content, and nothing else of it", async (context) => {
    const server = new WebServer();
    context.onTestFinished(() => server.remove());
    server.write({ "index.html": page(NEW), [NEW.slice(1)]: "new" });
    const before = join(server.site, "previous");
    mkdirSync(join(before, "assets"), { recursive: true });
    for (const name of [OLD, NEW, "/removed.html", "/logo.png"]) writeFileSync(join(before, name), "before");
    await server.start(await render(serving({ web: { basePath } })));
    const old = await server.get(basePath + OLD);
    expect([old.status, old.body.toString(), old.headers["cache-control"]]).toEqual([
      200,
      "before",
      FOR_EVER,
    ]);
    expect((await server.get(basePath + NEW)).body.toString()).toBe("new");
    for (const path of ["/removed.html", "/removed", "/logo.png"]) {
      expect((await server.get(basePath + path)).status).toBe(404);
    }
  });
});

test("a Service lists the pods, also those that are not ready", async () => {
  const manifests = await render(serving());
  const service = manifests.find(({ metadata }) => metadata.name === "docs-docs-server-pods");
  expect(service?.spec).toMatchObject({
    clusterIP: "None",
    publishNotReadyAddresses: true,
    selector: only(manifests, "Service").spec.selector,
  });
});
