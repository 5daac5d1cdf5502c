import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import {
  credentialPlaces,
  findCredential,
} from "../../../../../provider/publishing/images/registry/credentials.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";

const REPOSITORY = { host: "registry.internal", path: "docs/site" };
const configuration = (username: string): string =>
  JSON.stringify({ auths: { "registry.internal": { username, password: "p" } } });

test("the files of Docker and podman are searched where their programs do, the named ones first", () => {
  const all = {
    REGISTRY_AUTH_FILE: "/r",
    DOCKER_AUTH_CONFIG: "{}",
    DOCKER_CONFIG: "/d",
    XDG_RUNTIME_DIR: "/x",
    HOME: "/h",
  };
  const files = (environment: Record<string, string>, user: number | null = null): string[] =>
    credentialPlaces((name) => environment[name], user);
  expect(files(all, 0)).toEqual([
    "/r",
    "DOCKER_AUTH_CONFIG",
    "/d/config.json",
    "/x/containers/auth.json",
    "/h/.config/containers/auth.json",
    "/h/.docker/config.json",
  ]);
  expect(files({ HOME: "/root" }, 0)[0]).toBe("/run/containers/0/auth.json");
  expect(files({ XDG_CONFIG_HOME: "/c", USERPROFILE: "/u", DOCKER_CONFIG: "" })).toEqual([
    "/c/containers/auth.json",
    "/u/.docker/config.json",
  ]);
  expect(files({})).toEqual([]);
});

test("the first file with the registry decides; one that is no JSON is reported, without a word of it", async () => {
  const folder = await filled({
    "docker/config.json": '{"auths": {"registry.internal": {"password": "geheim"',
    "run/containers/auth.json": configuration("podman"),
    "home/.docker/config.json": configuration("docker"),
  });
  const reporter = recordingReporter();
  const environment: Record<string, string> = {
    DOCKER_CONFIG: join(folder, "docker"),
    XDG_RUNTIME_DIR: join(folder, "run"),
    HOME: join(folder, "home"),
  };
  const context = {
    environment: (name: string) => environment[name],
    reporter,
    secrets: new Secrets(),
    signal: new AbortController().signal,
  };
  expect(await findCredential(REPOSITORY, context)).toEqual({
    credential: { username: "podman", password: "p" },
    place: join(folder, "run/containers/auth.json"),
  });
  expect(reporter.lines.warn).toEqual([
    `${join(folder, "docker/config.json")} is not used for credentials of registries: it is not JSON`,
  ]);
  expect(await findCredential({ host: "other", path: "a" }, context)).toBeUndefined();
});

test("a configuration in DOCKER_AUTH_CONFIG is used, and reported without a word of it if it is no JSON", async () => {
  const found = async (text: string): Promise<[unknown, string[]]> => {
    const reporter = recordingReporter();
    const environment = (name: string): string | undefined =>
      name === "DOCKER_AUTH_CONFIG" ? text : undefined;
    const context = { environment, reporter, secrets: new Secrets(), signal: new AbortController().signal };
    return [await findCredential(REPOSITORY, context), reporter.lines.warn];
  };
  expect(await found(configuration("gitlab"))).toEqual([
    { credential: { username: "gitlab", password: "p" }, place: "DOCKER_AUTH_CONFIG" },
    [],
  ]);
  expect(await found('{"auths": {"geheim"')).toEqual([
    undefined,
    ["DOCKER_AUTH_CONFIG is not used for credentials of registries: it is not JSON"],
  ]);
});

test.each([
  ["REGISTRY_AUTH_FILE", configuration("gitlab")],
  ["DOCKER_CONFIG", configuration("gitlab")],
  ["REGISTRY_AUTH_FILE", Buffer.from(configuration("gitlab")).toString("base64")],
])(
  "N2 a login in %s in place of a file's name is refused by name, and named nowhere",
  async (variable, value) => {
    const secrets = new Secrets();
    const environment = (name: string): string | undefined => (name === variable ? value : undefined);
    const context = {
      environment,
      reporter: recordingReporter(),
      secrets,
      signal: new AbortController().signal,
    };
    await expect(findCredential(REPOSITORY, context)).rejects.toThrow(
      `the variable ${variable} contains a key, not a file's name`,
    );
    expect(credentialPlaces(environment, null).join()).not.toContain(value);
    expect(secrets.removeFrom(value)).not.toContain(value);
  },
);

test("without files there is no credential, and no warning", async () => {
  const reporter = recordingReporter();
  const context = {
    environment: (name: string) => (name === "DOCKER_AUTH_CONFIG" ? undefined : "/nowhere"),
    reporter,
    secrets: new Secrets(),
    signal: new AbortController().signal,
  };
  expect(await findCredential(REPOSITORY, context)).toBeUndefined();
  expect(reporter.lines.warn).toEqual([]);
});

async function filled(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "credentials-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
