import { expect, test } from "vitest";
import { resolveApiKey, resolveBaseUrl, type ConfigurationSource } from "../../provider/configuration.ts";

const source = (
  environment: Record<string, string> = {},
  stackConfig: Record<string, string> = {},
): ConfigurationSource => ({
  environment: (name) => environment[name],
  stackConfig: (name) => stackConfig[name],
});

test("the base URL comes from the resource, then the environment, then the stack configuration", () => {
  const environment = { DOCS_HOSTING_BASE_URL: "https://environment.example" };
  const config = { "docs-hosting:baseUrl": "https://config.example" };
  expect(resolveBaseUrl(source(environment, config), "https://input.example")).toBe("https://input.example");
  expect(resolveBaseUrl(source(environment, config))).toBe("https://environment.example");
  expect(resolveBaseUrl(source({}, config))).toBe("https://config.example");
});

test("a missing base URL is an error that names both ways to set it", () => {
  expect(() => resolveBaseUrl(source())).toThrow(
    expect.objectContaining({
      remedy: expect.stringMatching(/DOCS_HOSTING_BASE_URL.*docs-hosting:baseUrl/) as string,
    }),
  );
});

test("the key comes from the environment, then the secret configuration", () => {
  const config = { "docs-hosting:adminApiKey": "svc_config" };
  expect(resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: "svc_environment" }, config))).toBe(
    "svc_environment",
  );
  expect(resolveApiKey(source({ DOCS_HOSTING_ADMIN_API_KEY: "" }, config))).toBe("svc_config");
});

test("a second account's key never falls back to the first account's", () => {
  const config = { "docs-hosting:adminApiKey": "svc_first" };
  expect(() => resolveApiKey(source({}, config), "SECOND_KEY")).toThrow("not set");
});
