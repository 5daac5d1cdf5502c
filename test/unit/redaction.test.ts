import { expect, test } from "vitest";
import { redact } from "../../provider/redaction.ts";

const KEY = "svc_c4n4ry/+=key";

test.each([
  ["in plain", KEY],
  ["URL-encoded", encodeURIComponent(KEY)],
  ["in base64", Buffer.from(KEY).toString("base64")],
  ["in a header", `Authorization: Bearer ${KEY}`],
  ["in lower-case escapes", encodeURIComponent(KEY).replace(/%../g, (byte) => byte.toLowerCase())],
  ["in the base64 of a header", Buffer.from(`Bearer ${KEY}`).toString("base64")],
  ["in the base64 of a login", Buffer.from(`me:${KEY} x`).toString("base64url")],
])("the key %s is removed", (_, form) => {
  const clean = redact(`the service said ${form} and more`, [KEY]);
  expect(clean).not.toContain("c4n4ry");
  for (const before of ["", "_", "__"]) {
    expect(clean).not.toContain(
      Buffer.from(before + KEY)
        .toString("base64url")
        .slice(4, 14),
    );
  }
  expect(clean).toContain("and more");
});

test("a key of somebody else is removed by its prefix", () => {
  expect(redact("try svc_other123 instead")).toBe("try [removed] instead");
});

test("a link keeps its host and path, and loses its query, fragment and password", () => {
  expect(redact("see https://u:p@store.example/a.tgz?X-Sig=1&b=2#f now")).toBe(
    "see https://[removed]@store.example/a.tgz?[removed] now",
  );
});

test("terminal sequences, line ends and direction marks do not reach the terminal", () => {
  expect(redact("a\u001b[31mred\u001b[0m\r\nb\u202Ec")).toBe("ared b c");
});

test("a long text is cut to a thousand characters, and a secret at the cut is still removed", () => {
  const long = redact(`${"x".repeat(995)}${KEY}${"y".repeat(100_000)}`, [KEY]);
  expect(long.length).toBeLessThanOrEqual(1_001);
  expect(long).not.toContain("svc_");
});
