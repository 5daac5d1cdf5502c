// The rules of HTTPS_PROXY and NO_PROXY that the rows N18 of the faults (test/faults/networkProxy.test.ts) do not cover.
import { expect, test } from "vitest";
import { proxyFor } from "../../../provider/http/proxy.ts";

const SERVICE = "https://api.example.com/admin";
const PROXY = "http://proxy.example.net:3128";
const proxy = (environment: Record<string, string>, baseUrl = SERVICE): string | undefined =>
  proxyFor(baseUrl, (name) => environment[name])?.href;

test.each([
  [{ HTTPS_PROXY: " " }, undefined],
  [{ https_proxy: PROXY }, `${PROXY}/`],
  [{ https_proxy: " ", HTTPS_PROXY: ` ${PROXY}\n` }, `${PROXY}/`],
  [{ HTTPS_PROXY: "HTTPS://proxy.example.net" }, "https://proxy.example.net/"],
  [{ HTTP_PROXY: PROXY, ALL_PROXY: PROXY }, undefined],
  [{ HTTPS_PROXY: PROXY, no_proxy: "*", NO_PROXY: "other.example" }, undefined],
])("of %j the proxy is %s", (environment, expected) => {
  expect(proxy(environment)).toBe(expected);
});

test.each(["ftp://proxy.example.net", "http://", "http://a b", "://x"])(
  "a value that is no http(s) proxy is an error that says how to write one: %s",
  (url) => {
    expect(() => proxy({ HTTPS_PROXY: url })).toThrow(
      expect.objectContaining({
        name: "ConfigurationError",
        remedy: "Write it like http://proxy.example.com:3128, or name the service's host in NO_PROXY.",
      }),
    );
  },
);

test.each([
  ["other.example,api.example.com", SERVICE, true],
  ["other.example \t api.example.com", SERVICE, true],
  ["api.example.com:443", SERVICE, true],
  ["api.example.com:4433", SERVICE, false],
  ["api.example.co", SERVICE, false],
  ["www.api.example.com", SERVICE, false],
  ["x*", SERVICE, false],
  ["other.example, ,", SERVICE, false],
  [":443", SERVICE, false],
  [":443", "https://api.example.com./admin", false],
  ["api.example.com:8443", "https://api.example.com:8443", true],
  ["api.example.com:443", "https://api.example.com:8443", false],
  ["api.example.com", "https://api.example.com:8443", true],
])("NO_PROXY «%s» excepts %s: %s", (list, baseUrl, expected) => {
  expect(proxy({ HTTPS_PROXY: PROXY, NO_PROXY: list }, baseUrl) === undefined).toBe(expected);
});
