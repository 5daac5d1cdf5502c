// What registries do otherwise than distribution: a copy on a base of the same registry is made, found and removed.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { DestinationContext } from "../../../../../provider/publishing/destinations/destination.ts";
import { repositoryDestination } from "../../../../../provider/publishing/destinations/repository/repositoryDestination.ts";
import {
  addQuirk,
  QUIRKY_LOGIN,
  REFUSED_REMOVALS,
  REGISTRY_QUIRKS,
  type RegistryQuirk,
} from "../../../../simulation/registryQuirks.ts";
import {
  type RegistryStub,
  startRegistryStub,
  storeBase,
  storeIndex,
} from "../../../../simulation/registryStub.ts";
import { copySite, operation } from "./repositoryCopies.ts";

type Operation = DestinationContext & Awaited<ReturnType<typeof operation>>;

let registry: RegistryStub;
beforeEach(async (context) => {
  registry = await startRegistryStub(context);
  storeIndex(registry, "1.30", [storeBase(registry, "amd64")]);
});

/** An operation of someone who is logged in. */
async function loggedIn(login: object = QUIRKY_LOGIN): Promise<Operation> {
  const folder = await mkdtemp(join(tmpdir(), "quirks-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "config.json"), JSON.stringify({ auths: { [registry.host]: login } }));
  return {
    ...(await operation()),
    environment: (name) => (name === "DOCKER_CONFIG" ? folder : undefined),
  };
}

const inputs = (): { repository: string; base: string } => ({
  repository: `${registry.host}/docs/site`,
  base: `${registry.host}/nginx:1.30`,
});

test.each(Object.entries<RegistryQuirk>(REGISTRY_QUIRKS))(
  "a registry with the quirk «%s»",
  async (_, quirk) => {
    addQuirk(registry, quirk);
    const destination = repositoryDestination(inputs());
    const copy = await copySite(inputs(), { context: await loggedIn() });
    expect(await destination.compare(copy, await loggedIn())).toBe("same");
    const removal = await loggedIn();
    await destination.release([copy], removal);
    expect(removal.reporter.lines.warn).toEqual([]);
    expect(await destination.compare(copy, await loggedIn())).toBe("gone");
  },
);

test.each(Object.entries<readonly [RegistryQuirk, string]>(REFUSED_REMOVALS))(
  "a registry that refuses each removal, «%s», gets a warning that names what stays",
  async (_, [quirk, reason]) => {
    const copy = await copySite(inputs());
    addQuirk(registry, quirk);
    const removal = await loggedIn();
    await repositoryDestination(inputs()).release([copy], removal);
    const [warning = "", ...others] = removal.reporter.lines.warn;
    expect(others).toEqual([]);
    for (const digest of copy.parts["manifests"] as string[]) expect(warning).toContain(digest);
    expect(warning).toContain(reason);
  },
);

test.each([
  ["without a login", {}],
  ["with a wrong password", { ...QUIRKY_LOGIN, password: "falsch" }],
])("a removal %s is an error: the next run can do it", async (_, login) => {
  const copy = await copySite(inputs());
  addQuirk(registry, {});
  await expect(repositoryDestination(inputs()).release([copy], await loggedIn(login))).rejects.toMatchObject({
    remedy: expect.stringContaining("docker login") as string,
  });
});

test("a registry that answers no question about blobs is asked once for each copy", async () => {
  addQuirk(registry, REGISTRY_QUIRKS["ECR Public: 401 to each HEAD of a blob"]);
  await copySite(inputs(), { context: await loggedIn() });
  const heads = registry.requests.filter((line) => line.startsWith("HEAD") && line.includes("/blobs/"));
  expect(heads.length).toBeLessThanOrEqual(3); // without, with, and with another token
});
