import { Headers } from "node-fetch";
import { expect, test } from "vitest";
import type { FailedAttempt } from "../../../../../provider/base/http/retryPolicy.ts";
import { DestinationError } from "../../../../../provider/base/runtime/messages/errors.ts";
import { refused, registryReason } from "../../../../../provider/publishing/images/registry/failedRequest.ts";
import { remedyFor } from "../../../../../provider/publishing/images/registry/remedies.ts";
import { unconnected } from "../../../../../provider/publishing/images/registry/unconnected.ts";

test.each([
  ['{"errors":[{"code":"DENIED","message":"no"}]}', ["DENIED"], "DENIED: no"],
  ['{"errors":[{"code":"A"},{"message":"b"}]}', ["A", ""], "A; b"],
  ['{"errors":[7]}', [""], ""],
  ["<html>login</html>", [], ""],
  ["no such thing\n##vso[x]", [], "no such thing # #vso[x]"],
  ["", [], ""],
])("of the answer %j the registry's own text is shown", (text, codes, summary) => {
  expect(registryReason(text)).toEqual({ codes, summary });
});

test("a link loses its query, and long words are cut", () => {
  const text = JSON.stringify({ errors: [{ code: "X", message: `https://r/a?geheim ${"x".repeat(500)}` }] });
  const { summary } = registryReason(text);
  expect(summary).not.toContain("geheim");
  expect(summary.length).toBeLessThan(210);
});

const FOUND = { places: ["/h/.docker/config.json"], place: "/h/.docker/config.json" };

test("the remedy names the command that logs in, to this registry", () => {
  for (const status of [401, 403]) {
    const remedy = remedyFor(status, "r:1", { places: ["DOCKER_AUTH_CONFIG", "/h/.docker/config.json"] });
    expect(remedy).toContain("`docker login r:1`");
    expect(remedy).toContain("was found in DOCKER_AUTH_CONFIG, /h/.docker/config.json.");
  }
  expect(remedyFor(401, "r:1", FOUND)).toBe(
    "Log in again: `docker login r:1`. The credential comes from /h/.docker/config.json.",
  );
  expect(remedyFor(403, "r:1", FOUND)).toMatch(/comes from \/h\/.docker\/config.json, the right/);
});

test("a refusal says which request, without its query, and how long to wait", () => {
  const request = { method: "PUT", url: new URL("https://store.example.com/1?signed=geheim") } as const;
  const reply = (text: string): FailedAttempt => {
    const headers = new Headers({ "retry-after": "7" });
    return refused(request, { status: 429, headers, text }, "registry.internal", { places: [] }, 0);
  };
  const { fault, error } = reply('{"errors":[{"code":"TOOMANYREQUESTS"}]}');
  expect(fault).toEqual({ kind: "status", status: 429, retryAfterMs: 7_000 });
  expect(error).toBeInstanceOf(DestinationError);
  expect(error).toMatchObject({
    message: "PUT https://store.example.com/1 answered 429: TOOMANYREQUESTS",
    remedy: "Try again later: the registry limits the rate of requests.",
  });
  expect(reply("").error.message).toBe("PUT https://store.example.com/1 answered 429");
});

test("at most five reasons are shown", () => {
  const errors = [1, 2, 3, 4, 5, 6].map((number) => ({ code: `E${number}` }));
  expect(registryReason(JSON.stringify({ errors })).summary).toBe("E1; E2; E3; E4; E5");
});

test.each([
  [404, "exists before the first push"],
  [413, "`client_max_body_size 0;` in nginx"],
  [429, "Try again later"],
  [500, "see its log"],
  [502, "see its log"],
  [499, "Check the registry"],
  [400, "Check the registry"],
])("the remedy for %d says: %s", (status, text) => {
  expect(remedyFor(status, "r:1", FOUND)).toContain(text);
});

test.each<[string, FailedAttempt["fault"], string]>([
  [
    "whose certificate is not trusted",
    { kind: "untrusted", code: "X" },
    "/etc/docker/certs.d/r:1, or name it",
  ],
  [
    "that a proxy refuses",
    { kind: "refusedByProxy", status: 403 },
    "Check HTTPS_PROXY, or name r:1 in NO_PROXY",
  ],
  ["that speaks no TLS", { kind: "unreachable", code: "EPROTO" }, "If r:1 has no TLS, set `plainHttp`."],
  ["with another TLS", { kind: "interrupted", code: "ERR_SSL_X" }, "If r:1 has no TLS, set `plainHttp`."],
  ["that is down", { kind: "unreachable", code: "ECONNREFUSED" }, "Check the network, the repository's host"],
  [
    "with an odd code",
    { kind: "unreachable", code: "X_ERR_SSL_" },
    "Check the network, the repository's host",
  ],
  ["that sends no HTTP", { kind: "notHttp" }, "Check the network, the repository's host"],
])("a registry %s has its own remedy", (_what, fault, remedy) => {
  const error = new DestinationError("it failed", "");
  const failed = unconnected({ fault, error }, new URL("https://r:1/v2/"));
  expect(failed).toMatchObject({ fault, error: { message: "it failed" } });
  expect(failed.error.remedy).toContain(remedy);
});
