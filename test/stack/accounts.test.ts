// Whose key goes where. The services accept one key each: another one would stand in their logs as a 401.
import { expect, test } from "vitest";
import type { ReferenceService } from "../../examples/reference-service/index.ts";
import { poll, wholeExport } from "./requests.ts";
import { buildWorld, CANARY_KEY, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "./world.ts";

const KEY = "DOCS_HOSTING_ADMIN_API_KEY";
const ROTATED = "svc_r0tated-k3y";

function onlyItsOwnKeyWasSent({ requests }: ReferenceService): void {
  expect(requests.filter(({ status }) => status === 401)).toEqual([]);
  expect(requests.every(({ hasAuthorization }) => hasAuthorization)).toBe(true);
}

const docs = (version: string): string =>
  `new StaticExport("docs", { domain: "docs.example.com", version: "${version}" });`;

onEachEngine("accounts", (kind) => {
  test.concurrent(
    "L06 a key rotated in the config: no step; every later call sends the new one",
    async (context) => {
      const world = await buildWorld(context, kind, { env: { [KEY]: undefined } });
      const setKey = (key: string): Promise<void> =>
        world.stack.setConfig("docs-hosting:adminApiKey", key, { secret: true });
      await setKey(CANARY_KEY);
      world.program(docs("v1"));
      succeeded(await world.stack.up());
      const { outputs } = await world.exported();
      world.requests();

      world.service.setAdminApiKey(ROTATED);
      await setKey(ROTATED);
      expect(stepsOf(succeeded(await world.stack.up()))).toEqual([]);
      expect(world.requests()).toEqual([]);
      expect((await world.exported()).outputs).toEqual(outputs);
      succeeded(await world.stack.refresh()); // with the config of the last up
      expect(world.requests()).toEqual([poll(outputs["jobId"])]);
      world.program(docs("v2"));
      succeeded(await world.stack.up());
      expect(world.requests()).toEqual(wholeExport((await world.exported()).outputs["jobId"]));
      onlyItsOwnKeyWasSent(world.service);
      await previewIsEmpty(world);
      expect(await world.everythingWritten()).not.toContain(ROTATED);
    },
  );

  test.concurrent(
    "L06 a key rotated in the environment: no step; the next call sends the new one",
    async (context) => {
      const world = await buildWorld(context, kind, {
        // what the environment has goes before it
        secretConfig: { "docs-hosting:adminApiKey": "svc_of-the-config" },
      });
      world.program(docs("v1"));
      succeeded(await world.stack.up());
      const { outputs } = await world.exported();
      world.requests();

      world.service.setAdminApiKey(ROTATED);
      const stack = await world.open({ env: { [KEY]: ROTATED } });
      succeeded(await stack.refresh());
      expect(world.requests()).toEqual([poll(outputs["jobId"])]);
      expect(stepsOf(succeeded(await stack.up()))).toEqual([]);
      expect(world.requests()).toEqual([]);
      world.program(docs("v2"));
      succeeded(await stack.up());
      expect(world.requests()).toEqual(wholeExport((await world.exported()).outputs["jobId"]));
      onlyItsOwnKeyWasSent(world.service);
      await previewIsEmpty(world, stack);
    },
  );

  test.concurrent("two accounts in one stack: each service is sent its own key only", async (context) => {
    const world = await buildWorld(context, kind, { env: { OTHER_ACCOUNT: "svc_0ther-account" } });
    const other = await world.startService("svc_0ther-account");
    const program = (version: string): void =>
      world.program(
        `new StaticExport("ours", { domain: "docs.example.com", version: "${version}" });
         new StaticExport("theirs", {
           domain: "docs.example.com",
           version: "${version}",
           baseUrl: "${other.url}",
           apiKeyEnv: "OTHER_ACCOUNT",
         });`,
      );
    for (const version of ["v1", "v2"]) {
      program(version);
      succeeded(await world.stack.up());
    }
    succeeded(await world.stack.refresh());
    for (const [name, service] of [
      ["ours", world.service],
      ["theirs", other],
    ] as const) {
      const { outputs } = await world.exported(name);
      expect(outputs).toMatchObject({ baseUrl: service.url, version: "v2" });
      expect(new URL(String(outputs["bundleUrl"])).origin).toBe(service.url);
      expect(service.requests.filter(({ path }) => path.endsWith("/jobs"))).toHaveLength(2);
      expect(service.requests.at(-1)).toMatchObject({ method: "GET", jobId: outputs["jobId"], status: 200 });
      onlyItsOwnKeyWasSent(service);
    }
    await previewIsEmpty(world);
    const written = await world.everythingWritten();
    expect(written).not.toContain("svc_0ther-account");
    expect(written).not.toContain(CANARY_KEY);
  });

  test.concurrent(
    "two accounts: a missing key of the second one is not replaced by the first",
    async (context) => {
      const world = await buildWorld(context, kind, {
        secretConfig: { "docs-hosting:adminApiKey": CANARY_KEY },
      });
      world.program(`new StaticExport("docs", { domain: "docs.example.com", apiKeyEnv: "OTHER_ACCOUNT" });`);
      const up = await world.stack.up();
      expect(up.ok).toBe(false);
      expect(up.error).toContain("Set the environment variable OTHER_ACCOUNT.");
      expect(world.requests()).toEqual([]);
    },
  );
});
