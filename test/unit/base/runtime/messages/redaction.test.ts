import { expect, test } from "vitest";
import { redact } from "../../../../../provider/base/runtime/messages/plainText.ts";

test("the text after the name of an authorisation scheme is removed", () => {
  expect(redact("Bearer  abc.def, basic\tdTpw or BEARER x")).toBe(
    "Bearer [removed] basic [removed] or BEARER [removed]",
  );
});

test("another account's key is removed by its prefix", () => {
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

test("terminal sequences, line ends and commands for pipelines have no effect", () => {
  expect(redact("a\u001b[31mred\u001b[0m\r\nb\u202Ec ##[x]")).toBe("ared b c # #[x]");
  expect(redact("#\u001b[0m#[group]x")).toBe("# #[group]x"); // formed by a removal between
});

test("a text that Pulumi takes for an unknown value is removed, in any letter case, where it is the whole text", () => {
  expect(redact(" 04DA6B54-80e4-46f7-96ec-b56ff0331ba9\n")).toBe("[removed]");
  expect(redact("job 04da6b54-80e4-46f7-96ec-b56ff0331ba9")).toBe("job 04da6b54-80e4-46f7-96ec-b56ff0331ba9");
});

test("a text is shown whole up to the limit", () => {
  expect(redact("x".repeat(1_000))).toBe("x".repeat(1_000));
  expect(redact("x".repeat(1_001))).toBe(`${"x".repeat(1_000)}…`);
  expect(redact("abcd😀", 5)).toBe("abcd…");
});

test("at most sixteen times the limit is read, even if less remains of it", () => {
  expect(redact(`${" ".repeat(15_999)}xy`)).toBe("x…");
});
