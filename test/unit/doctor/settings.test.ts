// Where each setting comes from; settingFaults.test.ts has whole examinations.
import { expect, test } from "vitest";
import { ok, warning } from "../../../provider/doctor/finding.ts";
import { checkSettings, type ResolvedSettings } from "../../../provider/doctor/settings.ts";
import type { StackSetting } from "../../../provider/doctor/stackSettings.ts";

const URL = "https://api.example.com";
const KEY = "svc_0123456789";

interface Given {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stack?: Readonly<Record<string, string | StackSetting>>;
  readonly options?: { readonly "base-url"?: string; readonly "api-key-env"?: string };
}

function checked({ environment = {}, stack = {}, options = {} }: Given): ResolvedSettings {
  const settings = new Map(
    Object.entries(stack).map(([name, value]) => [
      `docs-hosting:${name}`,
      typeof value === "string" ? { value, isSecret: true } : value,
    ]),
  );
  const source = {
    environment: (name: string) => environment[name],
    stackConfig: (name: string) => settings.get(name)?.value,
  };
  return checkSettings(source, { settings, findings: [] }, options);
}

const FINE = { DOCS_HOSTING_BASE_URL: URL, DOCS_HOSTING_ADMIN_API_KEY: KEY };

test("an option comes before the environment, and that before the stack", () => {
  const other = { baseUrl: "https://other.example.com", adminApiKey: "svc_9876543210" };
  expect(checked({ environment: FINE, stack: other })).toEqual({
    baseUrl: URL,
    hasKey: true,
    findings: [
      ok("base-url", `${URL}, from the environment variable DOCS_HOSTING_BASE_URL`),
      ok("api-key", "set, from the environment variable DOCS_HOSTING_ADMIN_API_KEY"),
      ok("settings", "all others have their defaults"),
    ],
  });
  const options = { "base-url": "https://given.example.com", "api-key-env": "OTHER_KEY" };
  expect(checked({ environment: { ...FINE, OTHER_KEY: KEY }, options })).toMatchObject({
    baseUrl: options["base-url"],
    findings: [
      ok("base-url", "https://given.example.com, from --base-url"),
      ok("api-key", "set, from the environment variable OTHER_KEY"),
      {},
    ],
  });
});

test("an empty variable counts as unset", () => {
  const environment = { DOCS_HOSTING_BASE_URL: " ", DOCS_HOSTING_ADMIN_API_KEY: "" };
  const { findings } = checked({ environment, stack: { baseUrl: URL, adminApiKey: KEY } });
  expect(findings.slice(0, 2)).toEqual([
    ok("base-url", `${URL}, from the stack's configuration docs-hosting:baseUrl`),
    ok("api-key", "set, from the stack's configuration docs-hosting:adminApiKey"),
  ]);
});

test("settings with a default are shown with their values and sources", () => {
  const environment = { ...FINE, DOCS_HOSTING_API_KEY_PREFIX: "svc_" };
  const stack = { allowInsecure: "true", publicStorageOnly: "false", apiKeyPrefix: "pk_" };
  expect(checked({ environment, stack }).findings.at(-1)).toEqual(
    ok(
      "settings",
      'docs-hosting:apiKeyPrefix is "svc_", from the environment variable DOCS_HOSTING_API_KEY_PREFIX; ' +
        'docs-hosting:allowInsecure is "true", from the stack\'s configuration docs-hosting:allowInsecure; ' +
        'docs-hosting:publicStorageOnly is "false", from the stack\'s configuration docs-hosting:publicStorageOnly',
    ),
  );
});

test("an empty prefix of keys in the environment is a setting: it comes before that of the stack, and accepts any key", () => {
  const environment = {
    ...FINE,
    DOCS_HOSTING_ADMIN_API_KEY: "pk_0123456789",
    DOCS_HOSTING_API_KEY_PREFIX: "",
  };
  const { findings, hasKey } = checked({ environment, stack: { apiKeyPrefix: "svc_" } });
  expect(hasKey).toBe(true);
  expect(findings.at(-1)?.message).toBe(
    'docs-hosting:apiKeyPrefix is "", from the environment variable DOCS_HOSTING_API_KEY_PREFIX',
  );
});

test("a setting that is missing or wrong has no value, and the others are still checked", () => {
  expect(checked({})).toMatchObject({
    baseUrl: undefined,
    hasKey: false,
    findings: [
      { check: "base-url", status: "failure", message: "the base URL of the service is not set" },
      { check: "api-key", status: "failure" },
      { check: "settings", status: "ok" },
    ],
  });
});

test("a key with white space around it, or in plain text in the stack, is a warning", () => {
  const padded = { ...FINE, DOCS_HOSTING_ADMIN_API_KEY: `${KEY}\n` };
  expect(checked({ environment: padded }).findings[1]).toEqual(
    warning(
      "api-key",
      "the key from the environment variable DOCS_HOSTING_ADMIN_API_KEY has white space around it, such as a line break, which is not sent",
      "Set it again without the white space: other programs may send it.",
    ),
  );
  const stack = { adminApiKey: { value: KEY, isSecret: false } };
  const plain = warning(
    "api-key",
    "the configuration docs-hosting:adminApiKey holds the admin API key in plain text, readable in the stack's settings file",
    "Make a new key, and set it with `pulumi config set --secret docs-hosting:adminApiKey`.",
  );
  const { DOCS_HOSTING_BASE_URL } = FINE;
  expect(checked({ environment: { DOCS_HOSTING_BASE_URL }, stack }).findings[1]).toEqual(plain);
  const blank = { DOCS_HOSTING_BASE_URL, DOCS_HOSTING_ADMIN_API_KEY: " " };
  expect(checked({ environment: blank, stack }).findings[1]).toEqual(plain);
  expect(checked({ environment: FINE, stack }).findings[1]?.status).toBe("ok");
});
