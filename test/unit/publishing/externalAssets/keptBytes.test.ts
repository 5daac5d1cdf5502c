// What is not changed: bytes that are no references, compressed copies, what another host keeps.
import { describe, expect, test } from "vitest";
import { fetchedSite } from "./fetchedSite.ts";
import { PNG, sha } from "./fetchedSite.ts";

describe("bytes that are no references stay", () => {
  const HOSTS = { "https://cdn.example.com/x.png": PNG };
  test.for([
    [
      "a page in latin1",
      Buffer.from(
        '<meta charset=iso-8859-1><p>caf\xe9 &hellip;</p><img alt="\xe9&hellip;" src=https://cdn.example.com/x.png>',
        "latin1",
      ),
    ],
    [
      "a page in UTF-16",
      Buffer.concat([
        Buffer.from([0xff, 0xfe]),
        Buffer.from('<p>café</p><img src="https://cdn.example.com/x.png">', "utf16le"),
      ]),
    ],
    [
      "a page with a byte order mark",
      Buffer.from('\ufeff<p>café</p><img src="https://cdn.example.com/x.png">'),
    ],
  ] as const)("%s", async ([, bytes]) => {
    const site = await fetchedSite({ "a.html": bytes }, HOSTS);
    const before = bytes.toString("latin1").replaceAll("\0", "");
    const after = (site.files["a.html"] ?? "").replaceAll("\0", "");
    expect(after).toBe(
      before.replace(
        /src="?https:\/\/cdn.example.com\/x.png"?/,
        `src="assets/external/cdn.example.com/x.${sha(PNG)}.png"`,
      ),
    );
  });

  test("an SVG file: a style in CDATA is changed, one with an entity of its own is not, and the load is named", async () => {
    const svg = (style: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg"><style>${style}</style></svg>`;
    const css = ".a { fill: url(https://cdn.example.com/x.png) }";
    const site = await fetchedSite(
      {
        "a.svg": svg(`<![CDATA[${css}]]>`),
        "b.svg": svg(`&own;${css}`),
        "c.svg": `<!DOCTYPE svg [<!ENTITY u "https://cdn.example.com/x.png">]><svg xmlns="http://www.w3.org/2000/svg"><image href="&u;"/></svg>`,
      },
      HOSTS,
    );
    expect(site.files["a.svg"]).toContain(`<![CDATA[.a { fill: url("assets/external/`);
    expect(site.facts.externalLoads).toMatchObject([
      { address: "https://cdn.example.com/x.png", page: "b.svg", pages: 2 },
    ]);
  });
});

test("compressed copies of changed files are left out, others stay", async () => {
  const site = await fetchedSite(
    {
      "a.css": "@import 'https://cdn.example.com/a.css';",
      "a.css.gz": "old",
      "a.css.br": "old",
      "b.css": "p {}",
      "b.css.zst": "as it is",
    },
    { "https://cdn.example.com/a.css": "p {}" },
  );
  expect(Object.keys(site.files)).toEqual(
    expect.arrayContaining(["a.css", "b.css", "b.css.zst", "index.html"]) as string[],
  );
  expect(Object.keys(site.files)).not.toEqual(expect.arrayContaining(["a.css.gz"]) as string[]);
  expect(Object.keys(site.files)).not.toEqual(expect.arrayContaining(["a.css.br"]) as string[]);
});
