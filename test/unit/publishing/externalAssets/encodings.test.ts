// What was fetched in another encoding than UTF-8.
import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fetchedSite } from "./fetchedSite.ts";

describe("a fetched text in another encoding is stored in UTF-8, as the copy's server says", () => {
  const at = "https://cdn.example.com/x";
  const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
  test.for([
    [
      "a style sheet by its media type",
      "css",
      "text/css; charset=ISO-8859-1",
      bytes('.a::after { content: "caf\xe9" }'),
      '.a::after { content: "café" }',
    ],
    [
      "a style sheet by its first rule",
      "css",
      "text/css",
      bytes('@charset "windows-1252"; .a::after { content: "\x80 \xe9" }'),
      '@charset "utf-8"; .a::after { content: "€ é" }',
    ],
    [
      "the media type before the first rule",
      "css",
      'text/css;charset="utf-8"',
      Buffer.from('@charset "latin1"; .a::after { content: "é" }'),
      '@charset "utf-8"; .a::after { content: "é" }',
    ],
    [
      "a script by its media type",
      "js",
      "text/javascript; charset=windows-1251",
      bytes('x = "\xe4\xe0"'),
      'x = "да"',
    ],
    ["a script in UTF-8 stays", "js", "text/javascript", Buffer.from('x = "é"'), 'x = "é"'],
    [
      "an encoding that nobody knows",
      "js",
      "text/javascript; charset=klingon",
      Buffer.from('x = "é"'),
      'x = "é"',
    ],
  ] as const)("%s", async ([, ending, type, text, after]) => {
    const page =
      ending === "css" ? `<link rel=stylesheet href="${at}.css">` : `<script src="${at}.js"></script>`;
    const site = await fetchedSite(
      { "a.html": page },
      { [`${at}.${ending}`]: { status: 200, headers: { "content-type": type }, text } },
    );
    expect(site.facts.externalLoads).toEqual([]);
    expect(Buffer.from(site.files[site.stored[0] ?? ""] ?? "", "latin1").toString()).toBe(after);
  });

  test("the attribute integrity is then that of what is stored", async () => {
    const script = bytes('x = "\xe9"');
    const digest = (content: string | Uint8Array): string => `sha384-${hash("sha384", content, "base64")}`;
    const site = await fetchedSite(
      { "a.html": `<script src="${at}.js" integrity="${digest(script)}" crossorigin></script>` },
      {
        [`${at}.js`]: {
          status: 200,
          headers: { "content-type": "text/javascript;charset=latin1" },
          text: script,
        },
      },
    );
    expect(site.files["a.html"]).toContain(`integrity="${digest('x = "é"')}"`);
  });
});
