import { expect, test } from "vitest";
import { isLoopback } from "../../../../provider/base/http/address.ts";
import { endpointOf } from "../../../../provider/base/http/endpoint.ts";

const endpoint = (...path: string[]): ReturnType<typeof endpointOf> =>
  endpointOf("https://api.example.com:8443/admin", { method: "GET", path, repetition: "read" });

test("an endpoint is a path below the base URL, each segment encoded", () => {
  expect(endpoint("v1", "jobs", "a/b?c#d")).toEqual({
    url: "https://api.example.com:8443/admin/v1/jobs/a%2Fb%3Fc%23d",
    host: "api.example.com:8443",
    name: "GET https://api.example.com:8443/admin/v1/jobs/a%2Fb%3Fc%23d",
  });
});

test.each(["", ".", ".."])("the segment «%s», which would lead to another path, is an error", (segment) => {
  expect(() => endpoint("v1", segment)).toThrow(
    expect.objectContaining({
      name: "MalformedResponseError",
      message: `"${segment}" cannot be part of an address`,
      remedy: "Check the ids given to the resource.",
    }),
  );
});

test.each([
  ["localhost", true],
  ["docs.localhost", true],
  ["[::1]", true],
  ["127.0.0.1", true],
  ["127.255.1.200", true],
  ["notlocalhost", false],
  ["localhost.example.com", false],
  ["127.0.0.1.example.com", false],
  ["a127.0.0.1", false],
  ["127.0.1", false],
  ["128.0.0.1", false],
  ["", false],
])("whether «%s» is this machine: %s", (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected);
});
