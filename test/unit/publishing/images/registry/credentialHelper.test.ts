import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { runCredentialHelper } from "../../../../../provider/publishing/images/registry/credentialHelper.ts";
import { type Credential } from "../../../../../provider/publishing/images/registry/dockerConfiguration.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../../../systems.ts";

beforeEach((context) => notOnWindows(context, POSIX_PROGRAMS));

/** Asks a helper that is this script for the credential of `registry.internal`. */
async function asked(
  script: string,
  signal = new AbortController().signal,
): Promise<{ credential: Credential | undefined; warnings: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "helper-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "docker-credential-tests");
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  const variables: Record<string, string> = {
    PATH: `${folder}:${process.env["PATH"] ?? ""}`,
    HOME: "/home/of/me",
  };
  const reporter = recordingReporter();
  const environment = (name: string): string | undefined => variables[name];
  const context = { environment, reporter, signal };
  const credential = await runCredentialHelper("tests", "registry.internal", context);
  return { credential, warnings: reporter.lines.warn };
}

const print = (username: string, password: string): string =>
  `echo '{"Username":"${username}","Secret":"${password}"}'`;

test("a helper is asked for the registry in its input, with the user's own folder and other variables", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("TESTS_OF_HELPERS", "yes");
  const conditions = '[ "$1 $(cat) $HOME $TESTS_OF_HELPERS" = "get registry.internal /home/of/me yes" ]';
  expect(await asked(`${conditions} && ${print("me", "geheim")}`)).toEqual({
    credential: { username: "me", password: "geheim" },
    warnings: [],
  });
});

test("a helper that does not read its input is one, too", async () => {
  const { credential } = await asked(`exec <&-; ${print("<token>", "geheim")}`);
  expect(credential).toEqual({ identityToken: "geheim" });
});

test.each(["credentials not found in native keychain", "Credentials Not Found"])(
  "a helper without a credential says «%s», which is no warning",
  async (text) => {
    expect(await asked(`echo '${text}'; exit 1`)).toEqual({ credential: undefined, warnings: [] });
  },
);

test.each([
  ["says why it failed", "echo the key ring is locked; exit 3", " (3): the key ring is locked"],
  ["fails without a word", "echo of its log >&2; exit 1", " (1)"],
  ["shows a link", "echo https://example.com/a?geheim; exit 1", " (1): https://example.com/a?[removed]"],
  ["is killed", "echo half; kill -9 $$", " (SIGKILL)"],
  ["prints far too much", "printf '%2000000s' geheim", " (ERR_CHILD_PROCESS_STDIO_MAXBUFFER)"],
])("a helper that %s gives no credential, and causes a warning", async (_what, script, said) => {
  expect(await asked(script)).toEqual({
    credential: undefined,
    warnings: [`docker-credential-tests gave no credential for registry.internal${said}`],
  });
});

test.each([
  ["nothing", ":"],
  ["no JSON", "echo geheim"],
  ["no password", print("me", "")],
])("a helper that prints %s gives no credential, and none of it is shown", async (_what, script) => {
  expect(await asked(script)).toEqual({
    credential: undefined,
    warnings: ["docker-credential-tests printed no credential for registry.internal"],
  });
});

test("a helper that is not installed causes a warning", async () => {
  const reporter = recordingReporter();
  const { signal } = new AbortController();
  const context = { environment: () => "/nowhere", reporter, signal };
  expect(await runCredentialHelper("tests", "registry.internal", context)).toBeUndefined();
  expect(reporter.lines.warn).toEqual([
    "docker-credential-tests gave no credential for registry.internal (ENOENT)",
  ]);
});

test("a stopped operation starts no helper, and waits for none", async () => {
  const stopped = AbortSignal.abort(new Error("stopped"));
  await expect(asked(print("me", "geheim"), stopped)).rejects.toThrow("stopped");
  const stop = new AbortController();
  const asksForPath = (): string | undefined => {
    stop.abort(new Error("stopped now"));
    return process.env["PATH"];
  };
  const context = { environment: asksForPath, reporter: recordingReporter(), signal: stop.signal };
  await expect(runCredentialHelper("tests", "registry.internal", context)).rejects.toThrow("stopped now");
  expect(context.reporter.lines.warn).toEqual([]);
});
