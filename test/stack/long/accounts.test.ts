// Which key is sent where. Each service accepts one key: its log would show another one as a 401.
import { expect, test } from "vitest";
import type { ReferenceService } from "../../../examples/reference-service/index.ts";
import { docs } from "../programFolder.ts";
import { poll, startsOf, wholeExport } from "../requests.ts";
import { buildWorld, CANARY_KEY, onEachEngine, previewIsEmpty, stepsOf, succeeded } from "../world.ts";

const KEY = "DOCS_HOSTING_ADMIN_API_KEY";
const ROTATED = "svc_r0tated-k3y";
const ROTATED_AGAIN = "svc_r0tated-again";

function onlyItsOwnKeyWasSent({ requests }: ReferenceService): void {
  expect(requests.filter(({ status }) => status === 401)).toEqual([]);
  expect(requests.every(({ hasAuthorization }) => hasAuthorization)).toBe(true);
}

onEachEngine("accounts", (kind) => {
  test.concurrent(
    "L06 a key rotated in the config and then in the environment, which has priority: no step; every later call sends the new one",
    async (context) => {
      const world = await buildWorld(context, kind, {
        env: { [KEY]: undefined },
        secretConfig: { "docs-hosting:adminApiKey": ROTATED },
      });
      const setKey = (key: string): Promise<void> =>
        world.stack.setConfig("docs-hosting:adminApiKey", key, { secret: true });
      await setKey(CANARY_KEY);
      await world.up(docs(`version: "v1"`));
      const { outputs } = await world.exported();
      world.requests();

      world.service.setAdminApiKey(ROTATED);
      await setKey(ROTATED);
      expect(stepsOf(await world.up())).toEqual([]);
      expect(world.requests()).toEqual([]);
      expect((await world.exported()).outputs).toEqual(outputs);
      succeeded(await world.stack.refresh()); // with the config of the last up
      expect(world.requests()).toEqual([poll(outputs["jobId"])]);
      await world.up(docs(`version: "v2"`));
      const { jobId } = (await world.exported()).outputs;
      expect(world.requests()).toEqual(wholeExport(jobId));

      world.service.setAdminApiKey(ROTATED_AGAIN);
      const stack = await world.open({ env: { [KEY]: ROTATED_AGAIN } });
      succeeded(await stack.refresh());
      expect(world.requests()).toEqual([poll(jobId)]);
      await previewIsEmpty(world, stack);
      world.program(docs(`version: "v3"`));
      succeeded(await stack.up());
      expect(world.requests()).toEqual(wholeExport((await world.exported()).outputs["jobId"]));
      onlyItsOwnKeyWasSent(world.service);
      const written = await world.everythingWritten();
      for (const key of [CANARY_KEY, ROTATED, ROTATED_AGAIN]) expect(written).not.toContain(key);
    },
  );

  test.concurrent("two accounts in one stack: each service gets only its own key", async (context) => {
    const world = await buildWorld(context, kind, { env: { OTHER_ACCOUNT: "svc_0ther-account" } });
    const other = await world.startService("svc_0ther-account");
    for (const version of ["v1", "v2"]) {
      await world.up(
        `new StaticExport("ours", { domain: "docs.example.com", version: "${version}" });
         new StaticExport("theirs", {
           domain: "docs.example.com",
           version: "${version}",
           baseUrl: "${other.url}",
           apiKeyEnv: "OTHER_ACCOUNT",
         });`,
      );
    }
    succeeded(await world.stack.refresh());
    for (const [name, service] of [
      ["ours", world.service],
      ["theirs", other],
    ] as const) {
      const { outputs } = await world.exported(name);
      expect(outputs).toMatchObject({ baseUrl: service.url, version: "v2" });
      expect(new URL(String(outputs["bundleUrl"])).origin).toBe(service.url);
      expect(startsOf(service.requests)).toHaveLength(2);
      expect(service.requests.at(-1)).toMatchObject({ method: "GET", jobId: outputs["jobId"], status: 200 });
      onlyItsOwnKeyWasSent(service);
    }
    await previewIsEmpty(world);
    const written = await world.everythingWritten();
    expect(written).not.toContain("svc_0ther-account");
    expect(written).not.toContain(CANARY_KEY);
  });
});

const NATIVE = { adapter: "native", reason: "dynamic resources have no explicit providers" } as const;

onEachEngine({ name: "accounts of explicit providers", only: NATIVE }, (kind) => {
  test.concurrent(
    "two explicit providers with different keys: each service gets only its own; a rotated key updates the provider alone",
    async (context) => {
      const world = await buildWorld(context, kind, { env: { [KEY]: undefined } });
      const other = await world.startService("svc_0ther-account");
      const program = (otherKey: string, version: string): string =>
        `for (const [name, baseUrl, adminApiKey] of [
           ["ours", "${world.service.url}", "${CANARY_KEY}"],
           ["theirs", "${other.url}", "${otherKey}"],
         ]) {
           const provider = new Provider("account-" + name, { baseUrl, adminApiKey });
           new StaticExport(name, { domain: "docs.example.com", version: "${version}" }, { provider });
         }`;
      world.program(program("svc_0ther-account", "v1"));
      expect(stepsOf(succeeded(await world.stack.preview())).sort()).toEqual([
        "create ours",
        "create theirs",
      ]);
      await world.up();
      const { outputs } = await world.exported("theirs");
      expect(outputs["baseUrl"]).toBe(other.url);
      succeeded(await world.stack.refresh()); // with the providers of the state

      other.setAdminApiKey(ROTATED);
      const seen = other.requests.length;
      const up = await world.up(program(ROTATED, "v1"));
      expect(stepsOf(up)).toEqual([]);
      expect(other.requests.length).toBe(seen);
      expect((await world.exported("theirs")).outputs).toEqual(outputs);
      await world.up(program(ROTATED, "v2"));
      for (const service of [world.service, other]) {
        onlyItsOwnKeyWasSent(service);
        expect(startsOf(service.requests)).toHaveLength(2);
      }
      succeeded(await world.stack.destroy());
      const written = await world.everythingWritten();
      for (const key of [CANARY_KEY, "svc_0ther-account", ROTATED]) expect(written).not.toContain(key);
    },
  );

  test.concurrent.for(["default", "default_eu"])(
    "F3 an explicit provider called %s sends its own key to its own base URL, in every operation, and the environment's nowhere",
    async (name, context) => {
      const world = await buildWorld(context, kind);
      const partner = await world.startService("svc_0ther-account");
      const program = (version: string): string =>
        `const provider = new Provider("${name}", { baseUrl: "${partner.url}", adminApiKey: pulumi.secret("svc_0ther-account") });
         new StaticExport("theirs", { domain: "docs.example.com", version: "${version}" }, { provider });`;
      await world.up(program("v1"));
      succeeded(await world.stack.refresh()); // with the provider of the state
      await world.up(program("v2"));
      succeeded(await world.stack.destroy());
      expect(startsOf(partner.requests)).toHaveLength(2);
      onlyItsOwnKeyWasSent(partner);
      expect(world.service.requests).toEqual([]);
    },
  );

  test.concurrent(
    "F3 a key of the environment goes to another base URL than the environment's only with a line that names both",
    async (context) => {
      const world = await buildWorld(context, kind);
      const partner = await world.startService(CANARY_KEY);
      const up = await world.up(
        `const provider = new Provider("partner", { baseUrl: "${partner.url}" });
         new StaticExport("theirs", { domain: "docs.example.com" }, { provider });
         new StaticExport("ours", { domain: "docs.example.com" });`,
      );
      const lines = up.logs.filter(({ message }) => message.includes("is sent to"));
      expect(lines.map(({ severity, urn }) => [severity, urn?.split("::").at(-1)])).toEqual([
        ["warning", "theirs"],
      ]);
      expect(lines[0]?.message).toContain(partner.url);
      expect(lines[0]?.message).toContain(world.service.url);
    },
  );
});
