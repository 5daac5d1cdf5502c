import { expect, test } from "vitest";
import {
  decodeText,
  malformed,
  parseObject,
  toCount,
  toNumber,
  webPageIn,
} from "../../../../provider/base/http/reply.ts";

const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test("bytes are read as UTF-8 without a byte order mark, and not with others in their place", () => {
  expect(decodeText(Buffer.from("\ufeffé"))).toBe("é");
  expect(decodeText(Buffer.from("é", "latin1"))).toBeUndefined();
});

test("an object is returned unchanged", () => {
  expect(parseObject("GET x", ' {"a":[1]}')).toEqual({ a: [1] });
});

test.each<[string | undefined, string]>([
  ["<p>svc_c4n4ry</p>", "something that is not JSON: <p>[removed]</p>"],
  [nested(65), "JSON that is nested deeper than 64 levels"],
  [" \n", "with an empty reply"],
  [undefined, "with text that is not UTF-8"],
  ...["null", "[{}]", '"job-1"', "1", "true"].map((text): [string, string] => [
    text,
    "JSON that is not an object",
  ]),
])("%j is none", (text, what) => {
  expect(() => parseObject("GET x", text)).toThrow(
    expect.objectContaining({
      name: "MalformedResponseError",
      message: `GET x answered ${what}`,
      remedy:
        "Check that the base URL is that of the service, and that nothing in between (a proxy, a login page) answers in its place.",
    }),
  );
});

test("a reply that the API does not have names the base URL, and the service's support", () => {
  expect(malformed("GET x", 'without a "status"')).toMatchObject({
    name: "MalformedResponseError",
    message: 'GET x answered without a "status"',
    remedy: "Check that the base URL is that of the service; if it is, report this to the service's support.",
  });
});

test.each<[unknown, number | undefined]>([
  ...[7, -1.5, 0].map((value): [number, number] => [value, value]),
  ...(["7", "7.5", " 7 ", "7%"] as const).map((text): [string, number] => [text, parseFloat(text)]),
  ...["", " ", "%", "7%%", "7%8", "seven", NaN, Infinity, "Infinity", null, true, [7], undefined].map(
    (value): [unknown, undefined] => [value, undefined],
  ),
])("%j is read as the number %j", (value, expected) => {
  expect(toNumber(value)).toBe(expected);
});

test.each<[unknown, number | undefined]>([
  [0, 0],
  ["12", 12],
  [-1, undefined],
  [1.5, undefined],
  [2 ** 53, undefined],
  ["many", undefined],
])("%j is read as the count %j", (value, expected) => {
  expect(toCount(value)).toBe(expected);
});

test.each([
  "<!DOCTYPE html>",
  "<!doctype\n  html>",
  "<html lang=en>",
  "<head>",
  "<TITLE></TITLE>",
  " \n<body class='a'>",
  "\ufeff<html>",
  '<?xml version="1.0"?>\n  <html>',
  "<!-- made by a proxy -->\n<html>",
  "<!-- made by a proxy -->\n  <!----><html>",
])("%j begins a web page", (text) => {
  expect(webPageIn(text)).toBe("a web page");
});

test.each([
  "",
  "{}",
  "html",
  "Use <html> for a page",
  "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>",
  "<!doctype svg>",
  "<header>",
  "<p>not found</p>",
  "<!-- <html> -->",
])("%j is no web page", (text) => {
  expect(webPageIn(text)).toBeUndefined();
});

test.each([
  ["Log in", "Log in"],
  ["\n  Log\n\t in ", "Log in"],
  ["Tom &amp; Ann&apos;s &lt;&quot;shop&quot;&gt;&nbsp;now", `Tom & Ann's <"shop"> now`],
  ["Caf&#233; &#x2013;&hellip;", "Café &#x2013;&hellip;"],
  ["Key svc_c4n4ry", "Key [removed]"],
  ["x".repeat(101), `${"x".repeat(100)}…`],
])("a web page is named by its title, as text: %j", (title, shown) => {
  const page = `<html><head><title data-page="1">${title}</title></head><body>${title}`;
  expect(webPageIn(page)).toBe(`a web page with the title ${JSON.stringify(shown)}`);
});
