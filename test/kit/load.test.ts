import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startFaultyProxy } from "../copies/faultyProxy.ts";
import { startRegistry } from "../copies/registry.ts";
import { startTokenServer } from "../copies/tokenServer.ts";
import { imagesOf, writeKit } from "./kitFolder.ts";
import {
  BASIC,
  digestOfUpload,
  expectLoaded,
  isUpload,
  isWrite,
  load,
  LOADERS,
  LOGIN,
  newKit,
  passwords,
  startProxy,
} from "./loading.ts";
import { scratchFolder } from "./systems.ts";

describe.each(LOADERS)("load.sh with $program, $system", (loader) => {
  test("all images arrive, whole and under their names; the second time nothing is sent", async (context) => {
    const kit = newKit(context);
    const { host, passed } = await startProxy(context);
    const first = await load(context, loader, kit, `${host}/docs`);
    expect(first).toMatchObject({ code: 0 });
    expect(first.lines.at(-1)).toBe(`OK: all images are in ${host}/docs, with the kit's digests.`);
    await expectLoaded(kit, `${host}/docs`);
    passed.length = 0;
    const second = await load(context, loader, kit, `${host}/docs/`);
    expect(second).toMatchObject({ code: 0 });
    expect(second.lines.filter((line) => line.startsWith("there already: "))).toHaveLength(2);
    expect(passed.filter(isWrite)).toEqual([]);
  });

  test("a registry with passwords accepts the right one, which is stored nowhere, and the script says what to do about a wrong one", async (context) => {
    const kit = newKit(context);
    const { host } = await startRegistry(context, passwords(context));
    const temporary = { TMPDIR: scratchFolder(context) };
    for (const env of [{}, { ...LOGIN, REGISTRY_PASSWORD: "falsch" }]) {
      const ended = await load(context, loader, kit, `${host}/docs`, { env: { ...env, ...temporary } });
      expect(ended.code).toBe(1);
      expect(ended.output).toMatch(/401|unauthorized|authentication required/i);
      expect(ended.output).not.toContain("falsch");
    }
    const env = { ...LOGIN, ...temporary };
    expect(await load(context, loader, kit, `${host}/docs`, { env })).toMatchObject({ code: 0 });
    expect(readdirSync(temporary.TMPDIR)).toEqual([]);
  });

  test("a differential kit sends the new blobs; without the earlier one the script names it", async (context) => {
    const first = newKit(context, { version: "the first" });
    // an image that is the same under another tag: a program must not need the blobs that are left out of it
    const images = imagesOf("2").map(({ name, layers }) => ({
      name: name.replace(":1.30", ":1.31"),
      layers,
    }));
    const second = writeKit(join(scratchFolder(context), "kit"), { version: "2", since: first, images });
    const { host, passed } = await startProxy(context);
    const alone = await load(context, loader, second, `${host}/docs`);
    expect(alone).toMatchObject({ code: 1 });
    expect(alone.output).toContain(
      `oad the kit of version "the first" into ${host}/docs first, then this one again.`,
    );
    expect(await load(context, loader, first, `${host}/docs`)).toMatchObject({ code: 0 });
    passed.length = 0;
    expect(await load(context, loader, second, `${host}/docs`)).toMatchObject({ code: 0 });
    await expectLoaded(second, `${host}/docs`);
    const known = first.layout.blobs.map(({ digest }) => digest);
    expect(
      passed
        .filter(isUpload)
        .map(digestOfUpload)
        .filter((digest) => known.includes(digest)),
    ).toEqual([]);
  });

  test.for([
    ["one platform, of OCI's media types", { architectures: ["arm64"] }],
    ["one platform, of Docker's media types", { architectures: ["arm64"], isDocker: true }],
    ["two platforms, of Docker's media types below an index of OCI's", { isDocker: true }],
  ] as const)("an image for %s arrives unchanged", async ([, how], context) => {
    const images = imagesOf("1").map((image) => ({ ...image, ...how }));
    const kit = newKit(context, { images });
    const { host } = await startRegistry(context);
    expect(await load(context, loader, kit, `${host}/docs`)).toMatchObject({ code: 0 });
    await expectLoaded(kit, `${host}/docs`);
  });

  test("after an interruption, it continues with the missing blobs", async (context) => {
    const kit = newKit(context);
    const cut = new AbortController();
    let isInterrupted = false;
    const registry = await startRegistry(context);
    const { host, passed } = await startFaultyProxy(context, registry.host, (request) => {
      // the first image has arrived, and a part of the second; a loader that does not end at once gets no further
      const toSecond = passed.filter((each) => isUpload(each) && each.path.includes("/site/"));
      isInterrupted ||= !cut.signal.aborted && isUpload(request) && toSecond.length >= 2;
      if (!isInterrupted || !isUpload(request)) return undefined;
      cut.abort();
      return { answer: { status: 503 } };
    });
    expect((await load(context, loader, kit, `${host}/docs`, { signal: cut.signal })).code).toBe(null);
    const arrived: string[] = [];
    for (const { digest } of kit.layout.blobs) {
      for (const name of ["nginx-unprivileged", "site"]) {
        const path = `docs/${name}/blobs/${digest}`;
        const { ok } = await fetch(`http://${registry.host}/v2/${path}`, { method: "HEAD" });
        if (ok) arrived.push(`${name} ${digest}`);
      }
    }
    expect(arrived.length).toBeGreaterThan(0);
    isInterrupted = false;
    passed.length = 0;
    expect(await load(context, loader, kit, `${host}/docs`)).toMatchObject({ code: 0 });
    await expectLoaded(kit, `${host}/docs`);
    const sent = passed
      .filter(isUpload)
      .map((request) => `${request.path.split("/")[3] ?? ""} ${digestOfUpload(request)}`);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.filter((each) => arrived.includes(each))).toEqual([]);
  });

  test("a registry that returns other content is reported", async (context) => {
    const kit = newKit(context);
    const { host } = await startProxy(context, ({ method, path }) =>
      method === "GET" && path.includes("/site/manifests/")
        ? { change: ({ body }) => ({ body: Buffer.from(body.toString().replace("arm64", "arm65")) }) }
        : undefined,
    );
    const { code, output } = await load(context, loader, kit, `${host}/docs`);
    expect(code).toBe(1);
    expect(output).toContain(`${host}/docs/site:1 differs from the kit: the registry returns sha256:`);
  });
});

// crane accepts no tokens from an address of a private network
describe.each(LOADERS.filter(({ program }) => program !== "crane"))(
  "load.sh with $program, $system",
  (loader) => {
    test("a registry with tokens issues them for the password", async (context) => {
      const kit = newKit(context);
      const tokens = await startTokenServer(
        context,
        ({ authorization }) => authorization === `Basic ${BASIC}`,
      );
      const { host } = await startRegistry(context, tokens.settings);
      const ended = await load(context, loader, kit, `${host}/docs`, { env: LOGIN });
      expect(ended).toMatchObject({ code: 0 });
      expect(tokens.asked.map(({ query }) => query.get("service"))).toContain("registry");
      expect(ended.output).not.toContain("geheim");
    });
  },
);
