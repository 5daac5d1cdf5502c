// How a content security policy admits what was fetched.
import { describe, expect, test } from "vitest";
import { fetchedSite } from "./fetchedSite.ts";

const FONT = "wOF2 font";

test("a content security policy admits the copy's own host where it admitted the other", async () => {
  const policy = (content: string): string =>
    `<meta http-equiv="Content-Security-Policy" content="${content}">`;
  const script = '<script src="https://cdn.example.com/x.js"></script>';
  const site = await fetchedSite(
    {
      "a.html":
        policy("default-src 'none'; script-src https://cdn.example.com; img-src https://other.example.com") +
        script,
    },
    { "https://cdn.example.com/x.js": "1" },
  );
  expect(site.files["a.html"]).toContain(
    policy(
      "default-src 'none'; script-src https://cdn.example.com 'self'; img-src https://other.example.com",
    ),
  );
});

describe("a content security policy", () => {
  const policy = (content: string): string =>
    `<meta http-equiv="Content-Security-Policy" content="${content}">`;
  const HOSTS = {
    "https://fonts.example.com/css": {
      status: 200,
      headers: { "content-type": "text/css" },
      text: "@font-face { src: url(https://files.example.com/a.woff2) }",
    },
    "https://files.example.com/a.woff2": FONT,
  };
  test.for([
    [
      "of a page whose style sheet of another host loads a font of a third one",
      {
        "a.html": `${policy("style-src https://fonts.example.com; font-src https://files.example.com")}<link rel=stylesheet href="https://fonts.example.com/css">`,
      },
      "style-src https://fonts.example.com 'self'; font-src https://files.example.com 'self'",
    ],
    [
      "of a page whose own style sheet loads a font",
      {
        "a.html": `${policy("style-src 'self'; font-src https://files.example.com")}<link rel=stylesheet href="a.css">`,
        "a.css": "@font-face { src: url(https://files.example.com/a.woff2) }",
      },
      "style-src 'self'; font-src https://files.example.com 'self'",
    ],
    [
      "that names the host with http:, which admits https:, too",
      {
        "a.html": `${policy("font-src http://files.example.com http:")}<style>@font-face { src: url(https://files.example.com/a.woff2) }</style>`,
      },
      "font-src http://files.example.com http: 'self'",
    ],
    [
      "that admits nothing which was fetched",
      {
        "a.html": policy("img-src https://other.example.com"),
        "a.css": "@font-face { src: url(https://files.example.com/a.woff2) }",
      },
      "img-src https://other.example.com",
    ],
  ] as const)("%s", async ([, files, after]) => {
    const site = await fetchedSite(files, HOSTS);
    expect(site.stored.length).toBeGreaterThan(0);
    expect(site.files["a.html"]).toContain(policy(after));
  });
});
