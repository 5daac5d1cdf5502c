import { expect, test } from "vitest";
import { readToken, tokenRequest } from "../../../../../provider/publishing/images/registry/tokens.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";

const CHALLENGE = {
  scheme: "bearer",
  parameters: { realm: "https://auth.example.com/token?a=1", service: "registry", scope: "asked" },
};

test("a token request has the service and each scope, and the password in the header", () => {
  const { method, url, headers } = tokenRequest(CHALLENGE, ["one:pull", "two:pull,push"], {
    username: "me",
    password: "a:b",
  });
  expect(method).toBe("GET");
  expect(url.href).toBe(
    "https://auth.example.com/token?a=1&service=registry&scope=one%3Apull&scope=two%3Apull%2Cpush",
  );
  expect(headers).toEqual({ authorization: `Basic ${Buffer.from("me:a:b").toString("base64")}` });
});

test("an anonymous token request has no header", () => {
  const { url, headers } = tokenRequest(CHALLENGE, ["one:pull"], undefined);
  expect(url.searchParams.getAll("scope")).toEqual(["one:pull"]);
  expect(headers).toEqual({});
  const bare = tokenRequest(
    { scheme: "bearer", parameters: { realm: "https://a.example.com/" } },
    [],
    undefined,
  );
  expect(bare.url.href).toBe("https://a.example.com/");
});

test("an identity token is sent as a form, and is in no address", () => {
  const { method, url, body } = tokenRequest(CHALLENGE, ["one", "two"], { identityToken: "secret" });
  expect(method).toBe("POST");
  expect(url.href).toBe("https://auth.example.com/token?a=1");
  expect(Object.fromEntries(new URLSearchParams((body?.() as Buffer).toString()))).toEqual({
    grant_type: "refresh_token",
    refresh_token: "secret",
    client_id: "pulumi-docs-hosting",
    service: "registry",
    scope: "one two",
  });
});

test.each([
  [{ token: "a" }, 55_000],
  [{ access_token: "a" }, 55_000],
  [{ token: "", access_token: "a", expires_in: 300 }, 295_000],
  [{ token: "a", expires_in: 3 }, 3_000],
  [{ token: "a", expires_in: "soon" }, 55_000],
  [{ token: "a", expires_in: -1 }, 55_000],
])("%j is used for %d ms", (answer, lifeMs) => {
  expect(readToken(answer, new VirtualClock())).toEqual({ text: "a", endsAtMs: lifeMs });
});

test.each([undefined, {}, { token: 1 }, { token: "a\nb" }, "text"])("there is no token in %j", (answer) => {
  expect(readToken(answer, new VirtualClock())).toBeUndefined();
});
