import { expect, test } from "vitest";
import { normaliseDomain } from "../../provider/domainName.ts";

test.each([
  ["docs.example.com", "docs.example.com"],
  ["Docs.EXAMPLE.com", "docs.example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["docs", "docs"],
  [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
])("%s is stored as %s", (text, domain) => {
  expect(normaliseDomain(text)).toEqual({ domain });
});

test("a name is stable: its stored form is stored as it is", () => {
  const first = normaliseDomain("Bücher.Example") as { domain: string };
  expect(normaliseDomain(first.domain)).toEqual(first);
});

test.each([
  ["", "is empty"],
  ["  ", "is empty"],
  [" docs.example.com", "white space"],
  ["docs example.com", "white space"],
  ["https://docs.example.com/a", 'give the host name alone: "docs.example.com"'],
  ["docs.example.com/guide", 'give the host name alone: "docs.example.com"'],
  ["docs.example.com:443", 'give the host name alone: "docs.example.com"'],
  ["docs.example.com.", 'write "docs.example.com"'],
  ["192.0.2.1", "IP address"],
  ["[2001:db8::1]", "IP address"],
  ["0x7f.1", "IP address"],
  ["my_docs.example.com", "not a host name"],
  ["-docs.example.com", "not a host name"],
  [`${"a".repeat(64)}.example`, "not a host name"],
  [`${"a.".repeat(127)}example`, "not a host name"],
  ["docs..example.com", "not a host name"],
  ["../../etc", "path"],
])("«%s» is refused and the mend is named", (text, problem) => {
  const result = normaliseDomain(text);
  expect("problem" in result && result.problem).toContain(problem);
});
