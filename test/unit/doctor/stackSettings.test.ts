// What the CLI says about a stack; project.test.ts has whole examinations.
import { expect, test } from "vitest";
import { failure, ok, warning } from "../../../provider/doctor/finding.ts";
import type { Ended } from "../../../provider/doctor/host.ts";
import { readStackSettings, type StackSettings } from "../../../provider/doctor/stackSettings.ts";
import { bareHost } from "./host.ts";

const PROJECT = { file: "/projects/docs/Pulumi.yaml", program: "/projects/docs", runtime: "nodejs" };
const read = (ended: Partial<Ended>, stack?: string): Promise<StackSettings> =>
  readStackSettings(bareHost({}, ended), PROJECT, stack);
const configured = (settings: unknown): Partial<Ended> => ({ code: 0, stdout: JSON.stringify(settings) });

test("only texts of this package are settings; one is a secret if the CLI says so", async () => {
  const { settings, findings } = await read(
    configured({
      "docs-hosting:baseUrl": { value: "https://api.example.com", secret: false },
      "docs-hosting:adminApiKey": { value: "svc_x", secret: true },
      "docs-hosting:apiKeyPrefix": { value: "svc_", secret: "true" },
      "docs-hosting:other": { objectValue: {}, secret: false },
      "mydocs-hosting:baseUrl": { value: "x", secret: false },
    }),
  );
  expect([...settings]).toEqual([
    ["docs-hosting:baseUrl", { value: "https://api.example.com", isSecret: false }],
    ["docs-hosting:adminApiKey", { value: "svc_x", isSecret: true }],
    ["docs-hosting:apiKeyPrefix", { value: "svc_", isSecret: false }],
  ]);
  expect(findings).toEqual([
    ok(
      "stack",
      `the selected stack of ${PROJECT.file} has docs-hosting:baseUrl, docs-hosting:adminApiKey, docs-hosting:apiKeyPrefix`,
    ),
  ]);
});

test("a stack without settings is ok, and is named as it was given", async () => {
  expect(await read(configured({}), "prod")).toEqual({
    settings: new Map(),
    findings: [ok("stack", `prod of ${PROJECT.file} has no setting of docs-hosting`)],
  });
});

test("without the CLI, nothing is known about the stack: a warning", async () => {
  expect(await read({})).toEqual({
    settings: new Map(),
    findings: [
      warning(
        "stack",
        `the configuration of the stack in ${PROJECT.file} was not read: the Pulumi CLI did not run`,
        "Only environment variables were checked. Install the CLI, or run `pulumi config` to see what it reports.",
      ),
    ],
  });
});

const SELECT = "Run `pulumi stack select`, or give --stack NAME.";
const LOGIN = "Run `pulumi login`, or set PULUMI_ACCESS_TOKEN.";
const OTHER = "Run `pulumi config` in this folder: it must work before `pulumi up` can.";
test.each([
  ["error: no stack named 'prod' found", SELECT],
  ["error: Stack 'prod' Not Found", SELECT],
  ["error: invalid access token: unauthorized", LOGIN],
  ["error: you are not logged in", LOGIN],
  ["error: run pulumi login", LOGIN],
  ["error: unknown", OTHER],
])("%s: what to do", async (stderr, remedy) => {
  const expected = failure("stack", `the configuration of the stack cannot be read: ${stderr}`, remedy);
  expect(await read({ code: 255, stderr: `${stderr}\n` })).toEqual({
    settings: new Map(),
    findings: [expected],
  });
});

test.each([
  ["no JSON", "hello"],
  ["null", "null"],
  ["a setting that is null", '{"docs-hosting:baseUrl":null}'],
])("a CLI that ends well with %s is a failure", async (_, stdout) => {
  const { settings, findings } = await read({ code: 0, stdout });
  expect(settings.size).toBe(0);
  expect(findings).toEqual([
    failure("stack", "the configuration of the stack cannot be read: no output", OTHER),
  ]);
});

test("a CLI that fails has read nothing, whatever it printed; an error that is blank is none", async () => {
  const { settings, findings } = await read({ ...configured({}), code: 1, stderr: " \n" });
  expect(settings.size).toBe(0);
  expect(findings).toEqual([
    failure("stack", "the configuration of the stack cannot be read: no output", OTHER),
  ]);
});

test("an error of the CLI is shown without keys, and not at any length", async () => {
  const { findings } = await read({ code: 1, stderr: `error: svc_secret ${"x".repeat(1_000)}` });
  const [{ message } = { message: "" }] = findings;
  expect(message).toContain("error: [removed] xxx");
  expect(message.length).toBeLessThan(400);
});

test("outside of a project nothing is read, and --stack is a failure", async () => {
  const host = bareHost({ run: () => Promise.reject(new Error("no program is expected")) });
  expect(await readStackSettings(host, undefined, undefined)).toEqual({ settings: new Map(), findings: [] });
  expect(await readStackSettings(host, undefined, "prod")).toEqual({
    settings: new Map(),
    findings: [
      failure(
        "stack",
        "there is no Pulumi project in /projects/docs",
        "Run this in the folder of the project.",
      ),
    ],
  });
});
