import { describe, expect, test } from "vitest";
import { proxyFor } from "../../../provider/http/proxy.ts";

const SERVICE = "https://api.example.com/admin";
const PROXY = "http://proxy.example.net:3128";
const proxy = (environment: Record<string, string>, baseUrl = SERVICE): string | undefined =>
  proxyFor(baseUrl, (name) => environment[name])?.href;

test.each([
  [{}, undefined],
  [{ HTTPS_PROXY: "" }, undefined],
  [{ HTTPS_PROXY: " " }, undefined],
  [{ HTTPS_PROXY: PROXY }, `${PROXY}/`],
  [{ https_proxy: PROXY }, `${PROXY}/`],
  [{ https_proxy: PROXY, HTTPS_PROXY: "http://other.example" }, `${PROXY}/`],
  [{ https_proxy: " ", HTTPS_PROXY: ` ${PROXY}\n` }, `${PROXY}/`],
  [{ HTTPS_PROXY: "proxy.example.net:3128" }, `${PROXY}/`],
  [{ HTTPS_PROXY: "HTTPS://proxy.example.net" }, "https://proxy.example.net/"],
  [{ HTTP_PROXY: PROXY, ALL_PROXY: PROXY }, undefined],
])("of %j the proxy is %s", (environment, expected) => {
  expect(proxy(environment)).toBe(expected);
});

test.each([
  "http://api.example.com",
  "https://localhost",
  "https://127.0.0.1:4010",
  "https://docs.localhost",
])("%s is reached without it", (baseUrl) => {
  expect(proxy({ HTTPS_PROXY: PROXY }, baseUrl)).toBeUndefined();
});

test.each(["socks5://proxy.example.net", "ftp://proxy.example.net", "http://", "http://a b", "://x"])(
  "what is no http(s) proxy is an error that shows no password: %s",
  (url) => {
    const named = url.replace("://p", "://user:c4n4ry@p");
    expect(() => proxy({ HTTPS_PROXY: named })).toThrow(
      expect.objectContaining({
        name: "ConfigurationError",
        message: "HTTPS_PROXY is not the URL of an http(s) proxy",
        remedy: "Write it like http://proxy.example.com:3128, or name the service's host in NO_PROXY.",
      }),
    );
  },
);

describe("NO_PROXY", () => {
  const excepted = (list: string, baseUrl?: string): boolean =>
    proxy({ HTTPS_PROXY: PROXY, NO_PROXY: list }, baseUrl) === undefined;

  test.each([
    ["api.example.com", true],
    ["API.Example.COM", true],
    ["example.com", true],
    [".example.com", true],
    ["*.example.com", true],
    ["*", true],
    ["other.example, api.example.com", true],
    ["other.example,api.example.com", true],
    ["other.example \t api.example.com", true],
    ["api.example.com:443", true],
    ["api.example.com:4433", false],
    ["ample.com", false],
    ["api.example.co", false],
    ["i.example.com", false],
    ["www.api.example.com", false],
    ["x*", false],
    ["other.example, ,", false],
    [":443", false],
    ["", false],
  ])("«%s» excepts the service: %s", (list, expected) => {
    expect(excepted(list)).toBe(expected);
  });

  test("with a port means that port", () => {
    expect(excepted("api.example.com:8443", "https://api.example.com:8443")).toBe(true);
    expect(excepted("api.example.com:443", "https://api.example.com:8443")).toBe(false);
    expect(excepted("api.example.com", "https://api.example.com:8443")).toBe(true);
  });

  test("is read in lower case first", () => {
    expect(proxy({ HTTPS_PROXY: PROXY, no_proxy: "*", NO_PROXY: "other.example" })).toBeUndefined();
  });
});
