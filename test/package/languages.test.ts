// The programs of examples/languages on the real CLI: the commands in their READMEs, exactly, and then the life of a stack. A
// language whose programs are not on PATH is skipped.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readDocument } from "../documents.ts";
import { findCommand } from "../programs/commands.ts";
import { complaints, newUser, type } from "./exampleUser.ts";
import { packedPackage } from "./packedPackage.ts";
import { type Registry, startRegistry } from "./registry.ts";

/** Time for packages to be installed, and for a program to be compiled. */
vi.setConfig({ testTimeout: 900_000 });

/** The life of a link that is renewed soon. */
const SHORT_LIFE_MS = 5_000;

interface Language {
  name: string;
  /** What its programs need beside the CLI. */
  needs: string[];
  /** Environment variables of its own: caches, because a new user has none. */
  environment?: () => Record<string, string>;
}

const goSetting = (name: string): string => execFileSync("go", ["env", name], { encoding: "utf8" }).trim();

const LANGUAGES: Language[] = [
  { name: "yaml", needs: ["pulumi-language-yaml"] },
  {
    name: "python",
    needs: ["pulumi-language-python", "python3"],
    environment: () => ({ PIP_CACHE_DIR: join(process.env["HOME"] ?? "", ".cache/pip") }),
  },
  {
    name: "go",
    needs: ["pulumi-language-go", "go"],
    environment: () =>
      Object.fromEntries(["GOCACHE", "GOMODCACHE", "GOPROXY"].map((name) => [name, goSetting(name)])),
  },
  { name: "java", needs: ["pulumi-language-java", "java", "mvn"] },
  { name: "csharp", needs: ["pulumi-language-dotnet", "dotnet"] },
];

const packed = packedPackage();
let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry(packed.tarball, false);
});
afterAll(() => registry.close());

test("each example in another language is tested", () => {
  const folder = join(import.meta.dirname, "../../examples/languages");
  const projects = readdirSync(folder).filter((name) => existsSync(join(folder, name, "Pulumi.yaml")));
  expect(projects.sort()).toEqual(LANGUAGES.map(({ name }) => name).sort());
});

describe.each(LANGUAGES)("the program in $name", ({ name, needs, environment }) => {
  const missing = ["pulumi", ...needs].filter((command) => !findCommand(command));
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let counted: number;

  /** Requests since the last call, such as `POST /v1/static-export/jobs`, without ids. */
  const requests = (): string[] => {
    const seen = packed.service.requests.slice(counted);
    counted = packed.service.requests.length;
    return seen.map(({ method, path }) => `${method} ${path.replace(/[\da-f-]{36}/, "{id}")}`);
  };
  const pulumi = (command: string): Promise<string> =>
    type(`pulumi ${command}`, join(folder, "empty", name), env);
  const up = (): Promise<string> => pulumi("up --yes --skip-preview --non-interactive");
  const output = async (key: string): Promise<string> => (await pulumi(`stack output ${key}`)).trim();

  beforeAll(() => {
    if (missing.length > 0) return;
    folder = join(packed.folder, `language ${name}`);
    for (const each of ["home", "empty", "state"]) mkdirSync(join(folder, each), { recursive: true });
    env = {
      ...newUser(join(folder, "home"), registry),
      ...environment?.(),
      PULUMI_HOME: join(folder, "home/.pulumi"),
      PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
      PULUMI_CONFIG_PASSPHRASE: "scratch",
      PULUMI_SKIP_CONFIRMATIONS: "true",
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    counted = packed.service.requests.length;
  });

  test("is created by the commands in its README, and lives: unchanged, new version, renewal, destroy", async (context) => {
    context.skip(missing.length > 0, `there is no pulumi with all that programs in ${name} need on PATH`);
    const { DOCS_HOSTING_BASE_URL: url = "", DOCS_HOSTING_ADMIN_API_KEY: key = "" } = packed.env;
    const [commands = ""] = readDocument(`examples/languages/${name}/README.md`).scripts;
    const shown = await type(
      commands.replace("https://api.your-docs-host.example", url).replace("svc_…", key),
      join(folder, "empty"),
      env,
    );
    expect(shown).toContain("+ 3 created");
    expect(complaints(shown.slice(shown.indexOf("Updating (prod)")))).toEqual([]);
    expect(shown).not.toContain(key);
    expect(requests().filter((request) => request === "POST /v1/static-export/jobs")).toHaveLength(1);
    expect(await output("pages")).toBe("1");
    expect(await output("link")).toBe("[secret]");
    const archive = join(folder, "empty", name, await output("archive"));
    expect(existsSync(archive)).toBe(true);

    expect(await up()).toContain("3 unchanged");
    expect(requests()).toEqual([]);

    let expiresAtMs = 0;
    const stop = packed.service.intercept(({ method, path }) => {
      // the first link is the export's, the second one is the copy's own
      if (expiresAtMs > 0 || method !== "POST" || !path.endsWith("/bundle")) return undefined;
      expiresAtMs = Date.now() + SHORT_LIFE_MS;
      const expiresAt = new Date(expiresAtMs).toISOString();
      return { status: 200, body: { bundleUrl: `${url}/bundles/short`, expiresAt } };
    });
    onTestFinished(stop);
    await pulumi("config set version v2");
    expect(await up()).toMatch(/~ 2 updated\s+1 unchanged/);
    expect(requests().filter((request) => request === "POST /v1/static-export/jobs")).toHaveLength(1);

    await vi.waitUntil(() => Date.now() > expiresAtMs, { timeout: SHORT_LIFE_MS });
    const preview = await pulumi("preview --non-interactive");
    expect(preview).toMatch(/~ 1 to update\s+2 unchanged/);
    expect(requests()).toEqual([]);
    const renewed = await up();
    expect(renewed).toMatch(/~ 1 updated\s+2 unchanged/);
    expect(requests()).toEqual(["POST /v1/static-export/jobs/{id}/bundle"]);
    expect(await up()).toContain("3 unchanged");

    expect(await pulumi("destroy --yes --skip-preview --non-interactive")).toContain("- 3 deleted");
    expect(requests()).toEqual([]);
    expect(existsSync(archive)).toBe(false);
  });
});
