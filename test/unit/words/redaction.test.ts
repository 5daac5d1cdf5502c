import { describe, expect, test } from "vitest";
import { redact } from "../../../provider/words/redaction.ts";

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

describe("a secret that nothing else would give away", () => {
  const secret = 'c4n/4"r\\y+ é>?';

  test.each([
    ["plain", secret],
    ["escaped for JSON", JSON.stringify(secret).slice(1, -1)],
    ["URL-encoded", encodeURIComponent(secret)],
    ["URL-encoded in lower case", encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase())],
    ["in base64", Buffer.from(secret).toString("base64")],
  ])("is removed as it stands, %s, and nothing beside it", (_, form) => {
    expect(redact(`{"is":"${form}"}`, ["another", secret])).toBe('{"is":"[removed]"}');
  });

  // of base64 text, what depends on the secret alone: six bits a character, eight a byte
  for (const encoding of ["base64", "base64url"] as const) {
    for (const before of [0, 1, 2, 3, 4, 5]) {
      for (const cut of [0, 1, 2]) {
        test(`is removed from within ${encoding}, ${before} bytes before and ${cut} less of it`, () => {
          const bytes = Buffer.from(secret).subarray(cut);
          const text = Buffer.concat([Buffer.alloc(before, "x"), bytes, Buffer.from("rest")]).toString(
            encoding,
          );
          const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)];
          expect(redact(text, [bytes.toString()])).toBe(`${text.slice(0, from)}[removed]${text.slice(to)}`);
        });
      }
    }
  }

  test("is removed only when it has more than three characters: shorter ones are in many words", () => {
    expect(redact("abcde", ["abcd"])).toBe("[removed]e");
    expect(redact("abcde YWJj", ["abc", ""])).not.toContain("YWJj");
    expect(redact("abcde", ["abc", ""])).toBe("abcde");
  });
});

test("what follows the name of a scheme of authorisation is removed", () => {
  expect(redact("Bearer  abc.def, basic\tdTpw or BEARER x")).toBe(
    "Bearer [removed] basic [removed] or BEARER [removed]",
  );
});

test("a key of somebody else is removed by its prefix", () => {
  expect(redact("try svc_other123 instead")).toBe("try [removed] instead");
});

test("a link keeps its host and path, and loses its query, fragment and password", () => {
  expect(redact("see https://u:p@store.example/a.tgz?X-Sig=1&b=2#f now")).toBe(
    "see https://[removed]@store.example/a.tgz?[removed] now",
  );
});

test("a link at the very beginning loses its password, its query and its fragment too", () => {
  expect(redact("https://store.example/a?b")).toBe("https://store.example/a?[removed]");
  expect(redact("https://u:p@store.example/a")).toBe("https://[removed]@store.example/a");
  expect(redact("S3+x://u@store.example/a#f")).toBe("S3+x://[removed]@store.example/a?[removed]");
});

test("terminal sequences, what ends a line and commands for pipelines have no power", () => {
  expect(redact("a\u001b[31mred\u001b[0m\r\nb\u202Ec ##[x]")).toBe("ared b c # #[x]");
  expect(redact("#\u001b[0m#[group]x")).toBe("# #[group]x"); // made by what was removed between
});

test("what Pulumi takes for a value that is not known is removed, in whatever letters, where it is all there is", () => {
  expect(redact(" 04DA6B54-80e4-46f7-96ec-b56ff0331ba9\n")).toBe("[removed]");
  expect(redact("job 04da6b54-80e4-46f7-96ec-b56ff0331ba9")).toBe("job 04da6b54-80e4-46f7-96ec-b56ff0331ba9");
});

test("a long text is cut to a thousand characters, and a secret at the cut is still removed", () => {
  const long = redact(`${"x".repeat(995)}${KEY}${"y".repeat(100_000)}`, [KEY]);
  expect(long.length).toBeLessThanOrEqual(1_001);
  expect(long).not.toContain("svc_");
});

test("a text is shown whole up to the limit", () => {
  expect(redact("x".repeat(1_000))).toBe("x".repeat(1_000));
  expect(redact("x".repeat(1_001))).toBe(`${"x".repeat(1_000)}…`);
  expect(redact("abcd😀", [], 5)).toBe("abcd…");
});

test("no more than sixteen times the limit is read, whatever is left of it", () => {
  expect(redact(`${" ".repeat(15_999)}xy`)).toBe("x");
});
