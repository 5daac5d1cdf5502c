// What is not fetched: it stays as it is, and is named with its page and the reason.
import { createHash } from "node:crypto";
import nodeFetch from "node-fetch";
import { describe, expect, test } from "vitest";
import type { Lookup } from "../../../../provider/base/http/address.ts";
import { startDeadline, systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { requestAsset } from "../../../../provider/publishing/externalAssets/assetRequest.ts";
import { TRACKERS } from "../../../../provider/publishing/externalAssets/trackers.ts";
import { FasterClock } from "../../../simulation/fasterClock.ts";
import { testContext } from "../../../simulation/testContext.ts";
import { fetchedSite, type Hosts, shownLoads } from "./fetchedSite.ts";

const digestOf = (text: string, algorithm = "sha384"): string =>
  `${algorithm}-${createHash(algorithm).update(text).digest("base64")}`;
const PNG = "\u0089PNG";
const image = (address: string): string => `<img src="${address}">`;
const script = (address: string, more = ""): string => `<script src="${address}"${more}></script>`;

/** The reason for which the only load of a page stays; the page is unchanged. */
async function reasonFor(
  html: string,
  hosts: Hosts = {},
  options: Parameters<typeof fetchedSite>[2] = {},
): Promise<string | undefined> {
  const site = await fetchedSite({ "a.html": html }, hosts, options);
  expect(site.files["a.html"]).toBe(html);
  expect(site.stored).toEqual([]);
  expect(site.facts.externalLoads).toHaveLength(1);
  expect(site.facts.externalLoads[0]).toMatchObject({ page: "a.html" });
  return site.facts.externalLoads[0]?.reason;
}

describe("without a request", () => {
  test.for([
    [image("http://cdn.example.com/x.png"), "http: is not fetched, only https:"],
    [image("https://10.0.0.7/x.png"), "it is not a public address"],
    [image("https://192.168.1.1/x.png"), "it is not a public address"],
    [image("https://[fd00::1]/x.png"), "it is not a public address"],
    [image("https://169.254.169.254/latest/meta-data"), "it is a link-local or metadata address"],
    [image("https://metadata.google.internal/x"), "it is the name of a metadata address"],
    [image("https://user:secret@cdn.example.com/x.png"), "an address with a login is not fetched"],
    [
      '<iframe src="https://videos.example.com/embed"></iframe>',
      "a page of another host is fetched only if fetchExternal.include has it",
    ],
    [script("https://www.googletagmanager.com/gtag/js?id=G-1"), "it counts readers"],
    [
      '<meta http-equiv="refresh" content="0; url=https://new.example.com/">',
      expect.stringContaining("nothing is replaced where it stands (a redirect,") as string,
    ],
    ['<script src="ftp://cdn.example.com/x.js"></script>', "ftp: is not fetched, only https:"],
  ] as const)("%s", async ([html, reason]) => {
    let asked = 0;
    const counting = new Proxy({}, { get: () => (asked++, undefined) });
    expect(await reasonFor(html, counting)).toEqual(reason);
    expect(asked).toBe(0);
  });

  test("include and exclude decide by host and path; exclude is stronger", async () => {
    const addresses = [
      "https://cdn.example.com/a/1.png",
      "https://cdn.example.com/b/1.png",
      "https://x.example.org/1.png",
    ];
    const fetched = async (wanted: object): Promise<string[]> => {
      const hosts = Object.fromEntries(addresses.map((each) => [each, `${PNG}${each}`]));
      const site = await fetchedSite({ "a.html": addresses.map(image).join("") }, hosts, { wanted });
      return site.facts.fetchedAssets.map(({ address }) => address);
    };
    const [a, b, c] = addresses;
    expect(await fetched({ include: ["cdn.example.com"] })).toEqual([a, b]);
    expect(await fetched({ include: ["*.example.com/a/**", "*.example.org"] })).toEqual([a, c]);
    expect(await fetched({ exclude: ["cdn.example.com/a/*"] })).toEqual([b, c]);
    expect(await fetched({ include: ["**"], exclude: ["**.org"] })).toEqual([a, b]);
  });

  test("every pattern of the list of trackers matches the address that it is made of", async () => {
    const html = TRACKERS.map((each) =>
      script(
        `https://${each.replace(/^\*\./, "a.").replace("/**", "/x.js")}${each.includes("/") ? "" : "/x.js"}`,
      ),
    );
    for (const each of html) expect(await reasonFor(each)).toBe("it counts readers");
  });
});

describe("what a host answers", () => {
  const AT = "https://cdn.example.com/x";
  test.for([
    ["an error", image(AT), { status: 404, text: "no" }, "the host answers with status 404"],
    [
      "an error page with 200",
      script(AT),
      { headers: { "content-type": "text/html" }, text: "<p>Sorry" },
      "the host answers with text/html instead of a script",
    ],
    [
      "a web page that says it is a script",
      script(AT),
      { headers: { "content-type": "text/javascript" }, text: " <!DOCTYPE html><title>Log in" },
      "the host answers with a web page instead of a script",
    ],
    [
      "a web page without a type",
      image(AT),
      { text: "<html><body>no" },
      "the host answers with a web page instead of an image",
    ],
    [
      "a wrong type",
      '<link rel="stylesheet" href="https://cdn.example.com/x">',
      { headers: { "content-type": "image/png" }, text: PNG },
      "the host answers with image/png instead of a style sheet",
    ],
    [
      "nothing",
      image(AT),
      { headers: { "content-type": "image/png" }, text: "" },
      "the host answers with nothing",
    ],
    [
      "a playlist",
      '<video src="https://cdn.example.com/x"></video>',
      { headers: { "content-type": "application/vnd.apple.mpegurl" }, text: "#EXTM3U" },
      "it is a playlist: a player loads more that it names",
    ],
    [
      "a redirect to itself",
      image(AT),
      { status: 302, headers: { location: AT } },
      "the host redirects more than 5 times",
    ],
    [
      "another content than the strongest digest of integrity says",
      script(AT, ` integrity="${digestOf("1", "sha256")} sha512-AAAA"`),
      { headers: { "content-type": "text/javascript" }, text: "1" },
      "its content is not that of the attribute integrity",
    ],
    [
      "a part of the content",
      image(AT),
      { status: 206, headers: { "content-type": "image/png" }, text: PNG },
      "the host answers with status 206",
    ],
    ["no content", image(AT), { status: 204 }, "the host answers with status 204"],
    ["a redirect to nowhere", image(AT), { status: 302 }, "the host redirects to nowhere"],
    [
      "a redirect to a private address",
      image(AT),
      { status: 302, headers: { location: "https://10.0.0.1/" } },
      "it redirects to 10.0.0.1, and it is not a public address",
    ],
    [
      "a redirect to this machine",
      image(AT),
      { status: 307, headers: { location: "http://127.0.0.1:8080/" } },
      "it redirects to 127.0.0.1:8080, and that is this machine",
    ],
    [
      "a redirect to http:",
      image(AT),
      { status: 301, headers: { location: "http://cdn.example.com/y" } },
      "it redirects to cdn.example.com, and http: is not fetched, only https:",
    ],
    [
      "a redirect to a tracker",
      image(AT),
      { status: 301, headers: { location: "https://stats.wp.com/g.gif" } },
      "it redirects to stats.wp.com, and it counts readers",
    ],
    [
      "another content than integrity says",
      script(AT, ' integrity="sha384-AAAA"'),
      { headers: { "content-type": "text/javascript" }, text: "1" },
      "its content is not that of the attribute integrity",
    ],
  ] as const)("%s", async ([, html, reply, reason]) => {
    expect(await reasonFor(html, { [AT]: reply })).toBe(reason);
  });

  test.each([
    [{}, 5],
    [{ limits: { redirects: 2 } }, 2],
    [{ limits: { redirects: 0 } }, 0],
  ])("a file behind as many redirects as are allowed, and none behind one more: %o", async (wanted, most) => {
    const at = (number: number): string => `https://r.example.com/${number}.png`;
    const chain = (length: number): Hosts => ({
      ...Object.fromEntries(
        Array.from({ length }, (_, index) => [
          at(index),
          { status: 302, headers: { location: at(index + 1) } },
        ]),
      ),
      [at(length)]: PNG,
    });
    const allowed = await fetchedSite({ "a.html": image(at(0)) }, chain(most), { wanted });
    expect(allowed.stored).toHaveLength(1);
    const reason = await reasonFor(image(at(0)), chain(most + 1), { wanted });
    expect(reason).toBe(`the host redirects more than ${most} times`);
  });

  test("more bytes than a limit", async () => {
    const big = Buffer.alloc(3_000, 1);
    const limits = { assetBytes: 2_000 };
    expect(
      await reasonFor(
        image("https://a.example.com/x.png"),
        { "https://a.example.com/x.png": big },
        { wanted: { limits } },
      ),
    ).toBe("it has more than 2.0 kB");
    const two = ["https://a.example.com/1.png", "https://a.example.com/2.png"];
    const site = await fetchedSite(
      { "a.html": two.map(image).join("") },
      Object.fromEntries(two.map((each) => [each, big])),
      { wanted: { limits: { bytes: 4_000 } } },
    );
    expect(site.facts.fetchedAssets).toHaveLength(1);
    expect(shownLoads(site)[0]).toContain("(fetchExternal.limits.bytes)");
    const one = await fetchedSite(
      { "a.html": two.map(image).join("") },
      Object.fromEntries(two.map((each) => [each, PNG])),
      {
        wanted: { limits: { assets: 1 } },
      },
    );
    expect(shownLoads(one)).toEqual([
      "https://a.example.com/2.png: more than 1 files are loaded from other hosts (fetchExternal.limits.assets)",
    ]);
  });
});

test("a host that hangs is asked once, and its other files are left at once", async () => {
  const clock = new FasterClock(1_000);
  const addresses = Array.from({ length: 20 }, (_, index) => `https://slow.example.com/${index}.png`);
  const hosts = Object.fromEntries(addresses.map((each) => [each, "never" as const]));
  const site = await fetchedSite({ "a.html": addresses.map(image).join("") }, hosts, { clock });
  expect(site.requests.length).toBeLessThanOrEqual(8);
  expect(site.facts.externalLoads).toHaveLength(20);
  expect(shownLoads(site).every((each) => each.includes("the host cannot be reached"))).toBe(true);
});

test("a host that fails for a moment is asked again", async () => {
  const clock = new FasterClock(200);
  const replies = [
    { status: 503 },
    { error: "ECONNRESET" },
    { headers: { "content-type": "image/png" }, text: PNG },
  ];
  const hosts = new Proxy({}, { get: () => replies.shift() });
  const site = await fetchedSite({ "a.html": image("https://a.example.com/x.png") }, hosts, { clock });
  expect(site.facts.selfContained).toBe(true);
  expect(site.requests).toHaveLength(3);
});

test("integrity is checked and kept; that of a changed file becomes that of the stored one", async () => {
  const css = "@import 'b.css';";
  const site = await fetchedSite(
    {
      "a.html":
        script(
          "https://cdn.example.com/x.js",
          ` integrity="sha256-AAAA ${digestOf("var x;", "sha512")}" crossorigin`,
        ) + `<link rel="stylesheet" href="https://cdn.example.com/a.css" integrity="${digestOf(css)}">`,
    },
    {
      "https://cdn.example.com/x.js": "var x;",
      "https://cdn.example.com/a.css": css,
      "https://cdn.example.com/b.css": "p {}",
    },
  );
  expect(site.facts.selfContained).toBe(true);
  const page = site.files["a.html"] ?? "";
  const stored = site.stored.find((path) => path.includes("/a.")) ?? "";
  expect(page).toContain(`integrity="sha256-AAAA ${digestOf("var x;", "sha512")}"`);
  expect(page).toContain(`integrity="${digestOf(site.files[stored] ?? "")}"`);
  expect(page).not.toContain("crossorigin");
});

test("what a fetched style cannot have keeps its whole address, and is named", async () => {
  const site = await fetchedSite(
    { "a.html": '<link rel="stylesheet" href="https://cdn.example.com/css/a.css">' },
    { "https://cdn.example.com/css/a.css": "p { background: url(../gone.png) }" },
  );
  const [stored = ""] = site.stored;
  expect(site.files[stored]).toBe('p { background: url("https://cdn.example.com/gone.png") }');
  expect(site.facts.externalLoads).toEqual([
    {
      page: stored,
      address: "https://cdn.example.com/gone.png",
      pages: 1,
      reason: "the host answers with status 404",
    },
  ]);
});

test("queries decide what is fetched, and are in no output", async () => {
  const css = (family: string): string => `https://fonts.example.com/css2?family=${family}&key=s3cret`;
  const site = await fetchedSite(
    { "a.html": ["A", "B", "gone"].map((each) => `<link rel="stylesheet" href="${css(each)}">`).join("") },
    {
      [css("A")]: { headers: { "content-type": "text/css" }, text: "a {}" },
      [css("B")]: { headers: { "content-type": "text/css" }, text: "b {}" },
    },
  );
  expect(site.facts.fetchedAssets.map(({ address }) => address)).toEqual([
    "https://fonts.example.com/css2",
    "https://fonts.example.com/css2",
  ]);
  expect(
    site.stored.every((path) =>
      /^assets\/external\/fonts\.example\.com\/css2\.[0-9a-f]{16}\.css$/.test(path),
    ),
  ).toBe(true);
  expect(JSON.stringify(site.facts)).not.toContain("s3cret");
});

test.for([
  ["https://cdn.example.com/%2e%2e/%2e%2e/etc/passwd.png", "etc/passwd"],
  ["https://cdn.example.com/..%2f..%2fx.png", "__.._x"],
  ["https://cdn.example.com/CON/aux.png", "_con/_aux"],
  ["https://cdn.example.com/.git/.wh.x.png", "_git/_wh.x"],
  [
    `https://cdn.example.com/${"a".repeat(300)}/${"b/".repeat(100)}${"c".repeat(300)}.png`,
    "a{60}/b/b/b/b/b/b/b/c{60}",
  ],
  ["https://cdn.example.com:8443/Ä ö/X.PNG", "_/x"],
  ["https://cdn.example.com/", "index"],
] as const)("the name of %s stays in the folder, and every file system holds it", async ([address, name]) => {
  const hosts = { [new URL(address).href]: { headers: { "content-type": "image/png" }, text: PNG } };
  const site = await fetchedSite({ "a.html": image(address) }, hosts);
  expect(site.facts.selfContained).toBe(true);
  expect(site.stored[0]).toMatch(
    new RegExp(`^assets/external/cdn\\.example\\.com(?:_8443)?/(?:${name})\\.[0-9a-f]{16}\\.png$`),
  );
});

test("a site that has a file where the folder would be is refused", async () => {
  await expect(fetchedSite({ assets: "x" }, {})).rejects.toThrow(
    "the site has a file assets, where what is fetched",
  );
});

test("hints to connect early go, unless their host is left out", async () => {
  const hint = (host: string): string => `<link rel="preconnect dns-prefetch" href="https://${host}">`;
  const site = await fetchedSite(
    { "a.html": `${hint("a.example.com")}${hint("b.example.com")}` },
    {},
    { wanted: { exclude: ["b.example.com"] } },
  );
  expect(site.files["a.html"]).toBe(hint("b.example.com"));
});

test("this machine is asked only by its own name, and not at all with publicStorageOnly", async () => {
  const address = "http://127.0.0.1:9999/x.png";
  const site = await fetchedSite({ "a.html": image(address) }, { [address]: PNG });
  expect(site.facts.selfContained).toBe(true);
  expect(await reasonFor(image(address), { [address]: PNG }, { publicStorageOnly: true })).toBe(
    "it is not a public address",
  );
});

test.each([["127.0.0.1"], ["::1"], ["10.0.0.7"], ["169.254.169.254"]])(
  "a host whose name leads to %s is not connected to",
  async (address) => {
    const looked: string[] = [];
    const context = {
      ...testContext({ fetch: nodeFetch, clock: systemClock }),
      deadline: startDeadline(systemClock, 60_000),
      policy: { allowInsecure: false, publicStorageOnly: false },
      proxyFor: () => undefined,
      lookup: ((host, _options, callback) => {
        looked.push(host);
        callback(null, [{ address, family: address.includes(":") ? 6 : 4 }]);
      }) as Lookup,
    };
    const limits = { bytes: 1_000, redirects: 5, remainingMs: () => 60_000 };
    const url = new URL("https://assets.example.com/x.png");
    const reply = await requestAsset(url, limits, context, new Map(), () => undefined);
    expect(looked).toEqual(["assets.example.com"]);
    expect(reply).toEqual({ failure: expect.stringMatching(/^the host leads to /) as string });
  },
);
