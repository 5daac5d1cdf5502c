// Addresses in custom properties, which a style sheet in another folder may use.
import { describe, expect, test } from "vitest";
import { fetchedSite, PNG, sha, shownLoads } from "./fetchedSite.ts";

describe("an address in a custom property, which a style sheet in another folder may use", () => {
  const at = "https://cdn.example.com/x.png";
  const data = `data:image/png;base64,${Buffer.from(PNG).toString("base64")}`;
  test.for([
    ["in a style sheet", "css/a.css", `:root { --x: url(${at}) }`, `:root { --x: url("${data}") }`],
    [
      "in an attribute",
      "d/a.html",
      `<p style="--x: url('${at}'); color: red">`,
      `<p style="--x: url(&quot;${data}&quot;); color: red">`,
    ],
    [
      "in a fallback",
      "css/a.css",
      `p { --y: var(--x, url("${at}#a")) }`,
      `p { --y: var(--x, url("${data}#a")) }`,
    ],
    [
      "in an image set",
      "css/a.css",
      `p { --y: image-set("${at}" 1x) }`,
      `p { --y: image-set("${data}" 1x) }`,
    ],
    [
      "on a page that shows the site's root",
      "d/a.html",
      `<link rel=stylesheet href="/docs/s.css"><p style="--x: url(${at})">`,
      `<link rel=stylesheet href="/docs/s.css"><p style="--x: url(&quot;/docs/assets/external/cdn.example.com/x.${sha(PNG)}.png&quot;)">`,
    ],
    [
      "not in the next declaration",
      "css/a.css",
      `p { --y: 1; background: url(${at}) }`,
      `p { --y: 1; background: url("../assets/external/cdn.example.com/x.${sha(PNG)}.png") }`,
    ],
    [
      "not where a property is used",
      "css/a.css",
      `p { background: var(--y, url(${at})) }`,
      `p { background: var(--y, url("../assets/external/cdn.example.com/x.${sha(PNG)}.png")) }`,
    ],
  ] as const)("%s", async ([, path, before, after]) => {
    const site = await fetchedSite({ [path]: before, "s.css": "" }, { [at]: PNG });
    expect(site.files[path]).toBe(after);
    expect(site.facts.externalLoads).toEqual([]);
  });

  test("a large one leads to the file if the style itself uses the property", async () => {
    const large = PNG.padEnd(40_000);
    const site = await fetchedSite(
      { "css/a.css": `:root { --x: url(${at}) } p { background: var( --x ) }` },
      { [at]: large },
    );
    expect(site.files["css/a.css"]).toContain(
      `--x: url("../assets/external/cdn.example.com/x.${sha(large)}.png")`,
    );
  });

  test("a large one stays, with the reason", async () => {
    const css = `:root { --x: url(${at}) }`;
    const site = await fetchedSite({ "css/a.css": css }, { [at]: PNG.padEnd(40_000) });
    expect(site.files["css/a.css"]).toBe(css);
    expect(shownLoads(site)).toEqual([
      `${at}: a custom property has it, which styles in other folders may use, and only images up to 32 KiB are put into styles`,
    ]);
  });

  test("a style sheet of another host keeps its whole address, or gets the content", async () => {
    const sheet = "https://cdn.example.com/s.css";
    const site = await fetchedSite(
      { "a.html": `<link rel=stylesheet href="${sheet}">` },
      { [sheet]: `:root { --x: url(${at}); --y: url(x.png) }`, [at]: PNG },
    );
    const stored = site.stored.find((path) => path.endsWith(".css")) ?? "";
    // a relative address is written for the sheet itself
    expect(site.files[stored]).toBe(`:root { --x: url("${data}"); --y: url("x.${sha(PNG)}.png") }`);
  });

  test("a policy that admits its host admits the content, too", async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="img-src https://cdn.example.com">`;
    const site = await fetchedSite({ "a.html": `${policy}<p style="--x: url(${at})">` }, { [at]: PNG });
    expect(site.files["a.html"]).toContain(`content="img-src https://cdn.example.com 'self' data:"`);
  });

  test("a policy without one for images admits it for images alone", async () => {
    const policy = `<meta http-equiv="Content-Security-Policy" content="default-src https://cdn.example.com;">`;
    const site = await fetchedSite({ "a.html": `${policy}<p style="--x: url(${at})">` }, { [at]: PNG });
    expect(site.files["a.html"]).toContain(
      `content="default-src https://cdn.example.com 'self'; img-src https://cdn.example.com 'self' data:"`,
    );
  });
});
