// `doctor` with a real store and a real registry: what it reads, and what it writes and removes with --write.
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, type TestContext, vi } from "vitest";
import { runCommand } from "../../provider/doctor/command.ts";
import type { Finding } from "../../provider/doctor/finding.ts";
import { thisMachine } from "../../provider/doctor/thisMachine.ts";
import { scratchFolder } from "./images.ts";
import { startRegistry } from "./registry.ts";
import { KEY } from "./stores/azure.ts";
import { STORES } from "./stores/kinds.ts";
import { SECRET } from "./stores/s3.ts";

const PASSWORD = "geheim:wort";
/** The password's bcrypt hash. */
const PASSWORD_LINE = "me:$2b$05$abcdefghijklmnopqrstuuUC5tQs4nqfFCAMi0LnlG6VN9tjEP9AW\n";

/** The findings about the destinations. */
async function doctor(
  context: TestContext,
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Finding[]> {
  const folder = await scratchFolder(context);
  const { stdout } = await runCommand(["doctor", "--json", ...args], {
    ...thisMachine,
    folder,
    environment: (name) => ({ PULUMI_HOME: folder, ...environment })[name],
  });
  for (const secret of [PASSWORD, SECRET, KEY, "falsch", "ZmFsc2No"]) expect(stdout).not.toContain(secret);
  const { checks } = JSON.parse(stdout) as { checks: Finding[] };
  return checks.filter(({ check }) => ["bucket", "registry", "referrers"].includes(check));
}

/** The options that name the bucket of each store. */
const PLACES: Readonly<Record<string, (place: object) => string[]>> = {
  s3: (place) => optionsOf(place, { bucket: "bucket" }),
  azure: (place) =>
    optionsOf(place, { azureContainer: "azure-container", storageAccount: "storage-account" }),
  gcs: (place) => optionsOf(place, { gcsBucket: "gcs-bucket" }),
};

function optionsOf(place: object, names: Readonly<Record<string, string>>): string[] {
  const fields = Object.entries({ ...place, prefix: "docs/v" });
  return fields.flatMap(([field, value]) => [`--${names[field] ?? field}`, value]);
}

test.for(STORES)(
  "a bucket of $name is read, and written to with --write; nothing stays in it",
  async (kind, context) => {
    const { name, environment, secret } = kind;
    const store = await kind.start(context);
    const place = PLACES[name]?.(store.place) ?? [];
    for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
    context.onTestFinished(() => void vi.unstubAllEnvs());
    const secrets = { [secret]: environment[secret] ?? "" };
    const uri = `${store.uri}/docs/v`;
    const read = { check: "bucket", status: "ok", message: `${uri} can be read` };
    expect(await doctor(context, secrets, ...place)).toEqual([read]);
    expect(store.requests.map(({ method }) => method)).toEqual(["GET"]);
    expect(await doctor(context, secrets, ...place, "--write")).toEqual([
      read,
      { ...read, message: `${uri} can be written: an object was written and deleted` },
    ]);
    expect(await store.keys()).toEqual([]);
    if (kind.isOpen) return;
    vi.stubEnv(secret, "ZmFsc2No");
    const [wrong] = await doctor(context, { [secret]: "ZmFsc2No" }, ...place);
    expect(wrong).toMatchObject({
      status: "failure",
      message: expect.stringMatching(
        /does not accept the secret of the access key|\(AuthorizationFailure\)/,
      ) as unknown,
    });
  },
);

test("a registry with passwords is read, and written to with --write; a wrong login is named, and nothing stays in it", async (context) => {
  const configuration = await scratchFolder(context);
  const path = join(configuration, "htpasswd");
  await writeFile(path, PASSWORD_LINE);
  const settings = { AUTH: "htpasswd", AUTH_HTPASSWD_REALM: "tests", AUTH_HTPASSWD_PATH: path };
  const { host, folder } = await startRegistry(context, settings);
  const login = async (password: string): Promise<Record<string, string>> => {
    const auth = Buffer.from(`me:${password}`).toString("base64");
    await writeFile(join(configuration, "config.json"), JSON.stringify({ auths: { [host]: { auth } } }));
    return { DOCKER_CONFIG: configuration };
  };
  const place = ["--repository", `${host}/docs/site`, "--write"];
  const nobody = await doctor(context, {}, ...place);
  expect(nobody).toMatchObject([
    { status: "failure", remedy: expect.stringMatching(/^Log in: `docker login/) as unknown },
  ]);
  const wrong = await doctor(context, await login("falsch"), ...place);
  expect(wrong).toMatchObject([
    { status: "failure", remedy: expect.stringMatching(/^Log in again/) as unknown },
  ]);
  expect(await doctor(context, await login(PASSWORD), ...place)).toEqual([
    { check: "registry", status: "ok", message: `${host}/docs/site can be read; it has no tag latest` },
    {
      check: "registry",
      status: "ok",
      message: `${host}/docs/site can be written: an upload was begun and cancelled`,
    },
  ]);
  // distribution keeps the state of a cancelled upload until it cleans up
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.filter(({ parentPath }) => !parentPath.includes("/_uploads/"))).toEqual([]);
});
