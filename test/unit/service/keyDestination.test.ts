import { describe, expect, test } from "vitest";
import type { ConfigurationSource } from "../../../provider/service/configuration.ts";
import { keyDestination } from "../../../provider/service/keyDestination.ts";

interface Settings {
  env?: Record<string, string>;
  stack?: Record<string, string>;
  ownBaseUrl?: ConfigurationSource["ownBaseUrl"];
}

const KEY = { DOCS_HOSTING_ADMIN_API_KEY: "svc_c4n4ry" };

const sentTo = (baseUrl: string, { env = {}, stack = {}, ownBaseUrl }: Settings, apiKeyEnv?: string) =>
  keyDestination(
    {
      environment: (name) => env[name],
      stackConfig: (name) => stack[name],
      ...(ownBaseUrl && { ownBaseUrl }),
    },
    { baseUrl, ...(apiKeyEnv !== undefined && { apiKeyEnv }) },
  );

describe("a key that was set together with the base URL is sent without a line:", () => {
  test.each<[string, Settings]>([
    ["both in the environment", { env: { ...KEY, DOCS_HOSTING_BASE_URL: "https://a.test/" } }],
    ["the URL in the configuration alone", { env: KEY, stack: { "docs-hosting:baseUrl": "https://A.test" } }],
    ["both in the configuration", { stack: { "docs-hosting:baseUrl": " https://a.test" } }],
    ["no base URL but that of the resource", { env: KEY }],
    ["another path of the same host", { env: { ...KEY, DOCS_HOSTING_BASE_URL: "https://a.test/api" } }],
    [
      "a provider whose base URL is the same",
      { env: KEY, ownBaseUrl: { provider: "p", outside: "https://a.test" } },
    ],
  ])("%s", (_case, settings) => {
    expect(sentTo("https://a.test", settings)).toBeUndefined();
  });

  test("a key that the resource names", () => {
    const settings = { env: { ...KEY, DOCS_HOSTING_BASE_URL: "https://b.test" } };
    expect(sentTo("https://a.test", settings, "PARTNER_KEY")).toBeUndefined();
  });
});

describe("a key that was set together with another base URL is sent with a warning that names both:", () => {
  test.each<[string, Settings, string]>([
    [
      "a resource's own base URL",
      { env: { ...KEY, DOCS_HOSTING_BASE_URL: "https://b.test" } },
      "DOCS_HOSTING_ADMIN_API_KEY",
    ],
    [
      "a key of the environment, beside a configuration",
      { env: KEY, stack: { "docs-hosting:baseUrl": "https://b.test" } },
      "DOCS_HOSTING_ADMIN_API_KEY",
    ],
    [
      "a key of the configuration, whose base URL the environment replaces",
      {
        env: { DOCS_HOSTING_BASE_URL: "https://a.test" },
        stack: { "docs-hosting:baseUrl": "https://b.test" },
      },
      "docs-hosting:adminApiKey",
    ],
    [
      "a provider's own base URL",
      { env: KEY, ownBaseUrl: { provider: "partner", outside: "https://b.test" } },
      "provider partner",
    ],
  ])("%s", (_case, settings, named) => {
    const found = sentTo("https://a.test", settings);
    expect(found?.isOther).toBe(true);
    for (const text of ["https://a.test", "https://b.test", named]) expect(found?.text).toContain(text);
    expect(found?.text).not.toContain("svc_c4n4ry");
  });
});

test("a provider with a base URL and no key gets the environment's with a line, also if no other base URL is set", () => {
  const settings = { env: KEY, ownBaseUrl: { provider: "partner", outside: undefined } };
  expect(sentTo("https://a.test", settings)).toEqual({
    isOther: false,
    text:
      "the key of DOCS_HOSTING_ADMIN_API_KEY is sent to https://a.test, because the provider partner has a base URL and no key of " +
      "its own",
  });
});
