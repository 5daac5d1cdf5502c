import { describe, expect, test } from "vitest";
import { redact } from "../../../../../provider/base/runtime/messages/plainText.ts";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";

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
  const clean = without(`the service said ${form} and more`, KEY);
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

describe("a secret without a recognizable form", () => {
  const secret = 'c4n/4"r\\y+ é>?';

  test.each([
    ["plain", secret],
    ["escaped for JSON", JSON.stringify(secret).slice(1, -1)],
    ["URL-encoded", encodeURIComponent(secret)],
    ["URL-encoded in lower case", encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase())],
    ["in base64", Buffer.from(secret).toString("base64")],
  ])("is removed in its form %s, and nothing beside it", (_, form) => {
    expect(without(`{"is":"${form}"}`, "another", secret)).toBe('{"is":"[removed]"}');
  });

  // the characters of base64 text that depend only on the secret: six bits a character, eight a byte
  for (const encoding of ["base64", "base64url"] as const) {
    for (const before of [0, 1, 2, 3, 4, 5]) {
      for (const cut of [0, 1, 2]) {
        test(`is removed from within ${encoding}, ${before} bytes before and ${cut} less of it`, () => {
          const bytes = Buffer.from(secret).subarray(cut);
          const text = Buffer.concat([Buffer.alloc(before, "x"), bytes, Buffer.from("rest")]).toString(
            encoding,
          );
          const [from, to] = [Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)];
          expect(without(text, bytes.toString())).toBe(`${text.slice(0, from)}[removed]${text.slice(to)}`);
        });
      }
    }
  }

  test("is removed only when it has six characters: shorter ones are in many words", () => {
    expect(without("abcdefg", "abcdef")).toBe("[removed]g");
    expect(without("abcdefg YWJjZGU", "abcde", "")).toBe("abcdefg YWJjZGU");
  });
});

function without(text: string, ...values: string[]): string {
  const secrets = new Secrets();
  for (const value of values) secrets.add(value);
  return secrets.removeFrom(text);
}

test("one that is added after a text is removed from the next text", () => {
  const secrets = new Secrets();
  secrets.add("first-secret");
  expect(secrets.removeFrom("first-secret, second-secret")).toContain("second-secret");
  secrets.add("second-secret");
  expect(secrets.removeFrom("first-secret, second-secret")).not.toMatch(/first|second/);
});

test("the longer of two secrets is removed as a whole", () => {
  expect(without("a secret-of-two, a secret", "secret", "secret-of-two")).toBe("a [removed], a [removed]");
  expect(without("a secret-2!", "secret", "secret-2")).toBe("a [removed]!");
});

describe("a cut secret", () => {
  const secret = "p4ss?with/slash";

  test.each(Array.from(secret, (_, at) => at + 1).slice(3))(
    "is removed before a cut, though only %i characters of it are left",
    (length) => expect(without(`so: ${secret.slice(0, length)}…`, secret)).toBe("so: [removed]…"),
  );

  test("stays where fewer than four characters are left, or nothing shows a cut", () => {
    expect(without("so: p4s…", secret)).toBe("so: p4s…");
    expect(without("so: p4ss? no", secret)).toBe("so: p4ss? no");
    expect(without("… p4ss?with", secret)).toBe("… p4ss?with");
  });

  test("is also removed after a rule that removes patterns", () => {
    const quoted = redact(`see https://h/${secret} and bearer one two three`);
    expect(quoted).toBe("see https://h/p4ss?[removed] and bearer [removed] two three");
    expect(without(quoted, secret, "one two three")).toBe(
      "see https://h/[removed][removed] and bearer [removed]",
    );
  });

  test("is the same in base64, and for the longest secret that it can belong to", () => {
    const base64 = Buffer.from(secret).toString("base64");
    expect(without(`so: ${base64.slice(0, 9)}…`, secret)).toBe("so: [removed]…");
    expect(without("so: abcdefgh…", "efghij", "abcdefghij")).toBe("so: [removed]…");
  });
});

test("a key in PEM is secret line by line, however its lines are written; its frame is not", () => {
  const [first, second] = ["MIGHAgEAMBMGByqGSM49", "AgEGCCqGSM49AwEHBG0w"];
  const pem = (end: string): string =>
    `-----BEGIN KEY-----${end}${first}${end}${second}${end}-----END KEY-----`;
  for (const end of ["\n", "\\n", "\r\n"]) {
    expect(without(`${first} and ${second} of -----BEGIN KEY-----`, pem(end))).toBe(
      "[removed] and [removed] of -----BEGIN KEY-----",
    );
  }
});

describe("of a link", () => {
  const removed = (link: string, text: string): string => {
    const secrets = new Secrets();
    secrets.addLink(link);
    return secrets.removeFrom(text);
  };

  test("the query is secret as a whole, the password, and the signature, decoded or not", () => {
    const link =
      "https://me:p4ssw0rd@store.example/a.tgz?X-Amz-Signature=abc%2Fdef&X-Amz-Date=20260101T000000Z";
    expect(removed(link, `it is ${new URL(link).search.slice(1)}!`)).toBe("it is [removed]!");
    expect(removed(link, "p4ssw0rd, abc/def, abc%2Fdef, abc%2fdef")).toBe(
      "[removed], [removed], [removed], [removed]",
    );
  });

  test("host, path, dates, names and ids are not", () => {
    const text =
      "docs.example.com store.example a.tgz 20260101T000000Z 0d9c8e1a-1111-2222-3333-444455556666 tenant-of-docs";
    const link = `https://store.example/a.tgz?token=docs.example.com&date=20260101T000000Z&job=0d9c8e1a-1111-2222-3333-444455556666&of=tenant-of-docs`;
    expect(removed(link, text)).toBe(text);
    expect(removed(`https://store.example/?x=${"y".repeat(31)}`, "y".repeat(31))).toBe("y".repeat(31));
  });

  test("a credential that begins or ends like a name or an id is still secret", () => {
    const id = "0d9c8e1a-1111-2222-3333-444455556666";
    for (const value of ["docs.example.com:c4n4ry", "c4n4ry:docs.example.com"]) {
      expect(removed(`https://store.example/?token=${value}`, `${value}.`)).toBe("[removed].");
    }
    for (const value of [`${id}-c4n4ry`, `c4n4ry-${id}`]) {
      expect(removed(`https://store.example/?x=${value}`, `${value}.`)).toBe("[removed].");
    }
  });

  test("a parameter of any name is, when it is long", () => {
    expect(removed(`https://store.example/?x=${"y1".repeat(16)}`, `${"y1".repeat(16)}.`)).toBe("[removed].");
  });
});

test("an error and its causes lose it in all their texts, and keep their class", () => {
  const secrets = new Secrets();
  secrets.add("c4n4ry-secret");
  const cause = new RangeError("cause c4n4ry-secret");
  const error = Object.assign(new TypeError("c4n4ry-secret failed", { cause }), {
    remedy: "replace c4n4ry-secret",
    requestId: "c4n4ry-secret",
    status: 500,
  });
  for (const each of [error, cause]) expect(each.stack).toContain("c4n4ry"); // written when it is first read
  secrets.removeFromError(error);
  expect(error).toMatchObject({
    message: "[removed] failed",
    remedy: "replace [removed]",
    requestId: "[removed]",
    status: 500,
  });
  expect(error).toBeInstanceOf(TypeError);
  expect(cause.message).toBe("cause [removed]");
  for (const { stack } of [error, cause]) expect(stack).not.toContain("c4n4ry");
  expect(() => secrets.removeFromError("c4n4ry-secret")).not.toThrow();
});

const ESCAPED = "svc_Q7r-x2K9_c4n4ry.Zw";
const bytes = Buffer.from(ESCAPED);
const each = (write: (byte: number) => string): string => Array.from(bytes, write).join("");
const hexOf = (byte: number): string => byte.toString(16);

test.each([
  ["in upper case", ESCAPED.toUpperCase()],
  ["in lower case", ESCAPED.toLowerCase()],
  ["as hexadecimal digits", bytes.toString("hex")],
  ["as upper-case hexadecimal digits", bytes.toString("hex").toUpperCase()],
  ["as hexadecimal bytes with colons", Array.from(bytes, hexOf).join(":")],
  ["as hexadecimal bytes with spaces", Array.from(bytes, hexOf).join(" ")],
  ["as bytes of a program", each((byte) => `\\x${hexOf(byte)}`)],
  ["with every character percent-encoded", each((byte) => `%${hexOf(byte)}`)],
  ["with every character percent-encoded in upper case", each((byte) => `%${hexOf(byte).toUpperCase()}`)],
  ["percent-encoded twice", each((byte) => `%25${hexOf(byte)}`)],
  ["with some characters percent-encoded", ESCAPED.replaceAll("_", "%5F").replaceAll("4", "%34")],
  ["percent-encoded in another letter case", ESCAPED.toUpperCase().replaceAll("_", "%5f")],
  ["as escapes of JSON", each((byte) => `\\u00${hexOf(byte)}`)],
  ["with some escapes of JSON in JSON", ESCAPED.replaceAll("_", "\\\\u005f")],
  ["as entities of HTML", each((byte) => `&#${byte};`)],
  ["as hexadecimal entities of HTML", each((byte) => `&#x${hexOf(byte)};`)],
  ["as base64 in lower case", bytes.toString("base64").toLowerCase()],
  ["cut, in another letter case", `${ESCAPED.toUpperCase().slice(0, 12)}…`],
])("a key %s is removed", (_, written) => {
  const secrets = new Secrets();
  secrets.add(ESCAPED);
  const text = secrets.removeFrom(`before ${written} after`);
  expect(text).toMatch(/^before \[removed\](?:…)? after$/);
});

test("other text in the forms of a key stays", () => {
  const secrets = new Secrets();
  secrets.add(ESCAPED);
  const text = `%73%76%63 ${Buffer.from("svc_other").toString("hex")} SVC_OTHER &#115; İstanbul \\u0073 ${"%25".repeat(5_000)}`;
  expect(secrets.removeFrom(text)).toBe(text);
});
