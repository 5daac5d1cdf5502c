// The rules of HTTPS_PROXY and NO_PROXY that the rows N18 of the faults (test/faults/networkProxy.test.ts) do not cover.
import { expect, test } from "vitest";
import { proxyFor } from "../../../../provider/base/http/proxy.ts";

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
        message: "HTTPS_PROXY is not the URL of an http(s) proxy",
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
  [":443", "https://192.0.2.7", false],
  ["other.example, ,", "https://api.example.com../admin", false],
  // a final dot of either
  ["api.example.com.", SERVICE, true],
  ["example.com.", SERVICE, true],
  [".example.com.", SERVICE, true],
  ["api.example.com", "https://api.example.com./admin", true],
  ["api.example.com.:443", "https://api.example.com./admin", true],
  ["api.example.com..", SERVICE, false],
  [".", SERVICE, false],
  // names in any case, also with a star
  ["API.Example.COM", SERVICE, true],
  ["*.example.com", SERVICE, true],
  // addresses and ranges
  ["192.0.2.7", "https://192.0.2.7", true],
  ["192.0.2.7:8443", "https://192.0.2.7:8443", true],
  ["192.0.2.7:8443", "https://192.0.2.7", false],
  ["0.2.7", "https://192.0.2.7", false],
  ["192.0.2.0/24", "https://192.0.2.7", true],
  ["192.0.2.77/24", "https://192.0.2.7", true],
  ["other.example, 10.0.0.0/8", "https://10.200.3.4:8443", true],
  ["10.0.0.0/8", "https://11.0.0.1", false],
  ["192.0.2.0/29", "https://192.0.2.8", false],
  ["192.0.2.7/32", "https://192.0.2.7", true],
  ["192.0.2.7/33", "https://192.0.2.7", false],
  ["192.0.2.7/x", "https://192.0.2.7", false],
  ["10/8", "https://10.0.0.1", false],
  ["10.0.0.0/8", "https://10.0.0.1.example.com", false],
  ["2001:db8::1", "https://[2001:db8::1]", true],
  ["2001:db8::1", "https://[2001:db8::2]", false],
  ["2001:DB8:0::0:1", "https://[2001:db8::1]", true],
  ["[2001:db8::1]", "https://[2001:db8::1]", true],
  ["[2001:db8::1]:8443", "https://[2001:db8::1]:8443", true],
  ["[2001:db8::1]:8443", "https://[2001:db8::1]", false],
  ["2001:db8::/32", "https://[2001:db8:7::1]", true],
  ["[2001:db8::]/32", "https://[2001:db8:7::1]", true],
  ["2001:db8::/32", "https://[2001:db9::1]", false],
  ["2001:db8:7::/48", "https://[2001:db8:7::1]", true],
  ["2001:db8:7::/48", "https://[2001:db8:8::1]", false],
  ["2001:db8::/129", "https://[2001:db8::]", false],
  ["192.0.2.0/24", "https://[::ffff:192.0.2.7]", false],
  ["::/0", "https://192.0.2.7", false],
  ["api.example.com:8443", "https://api.example.com:8443", true],
  ["api.example.com:443", "https://api.example.com:8443", false],
  ["api.example.com", "https://api.example.com:8443", true],
])("NO_PROXY «%s» excepts %s: %s", (list, baseUrl, expected) => {
  expect(proxy({ HTTPS_PROXY: PROXY, NO_PROXY: list }, baseUrl) === undefined).toBe(expected);
});
