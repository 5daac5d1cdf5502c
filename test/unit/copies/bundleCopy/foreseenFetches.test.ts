// What check and preview say of fetchExternal, before anything is fetched.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../../provider/base/runtime/messages/plainText.ts";
import { type Clock, systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { COPIES } from "../../../../provider/copies/bundleCopy/copyKind.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import { planPublication } from "../../../../provider/copies/publication/plan.ts";
import { AT, check, folder, PAGE, withHosts, world } from "./otherHosts.ts";

withHosts();

describe("the input fetchExternal", () => {
  test("false and absent are the same; true and no options are the same", () => {
    expect(check({ fetchExternal: false }).inputs).toEqual(check({}).inputs);
    expect(check({ fetchExternal: {} }).inputs.fetchExternal).toBe(true);
    expect(check({ fetchExternal: UNKNOWN }).failures).toEqual([]);
    expect(check({ fetchExternal: { include: [UNKNOWN] } }).failures).toEqual([]);
  });

  test.for([
    ["yes", "fetchExternal", "must be true, false, or options"],
    [
      { includes: [] },
      "fetchExternal.includes",
      "there is no such option. Options are: include, exclude, limits",
    ],
    [{ include: "a.com" }, "fetchExternal.include", "must be a list"],
    [{ include: [""] }, "fetchExternal.include.0", "must be a host"],
    [{ exclude: ["a.com", "/npm/**"] }, "fetchExternal.exclude.1", "must begin with a host"],
    [{ exclude: ["ftp://a.com"] }, "fetchExternal.exclude.0", "must begin with a host"],
    [{ include: ["a.com/x?y=1"] }, "fetchExternal.include.0", "must not contain a query"],
    [{ limits: { size: 1 } }, "fetchExternal.limits.size", "there is no such limit"],
    [{ limits: { bytes: 0 } }, "fetchExternal.limits.bytes", "must be a whole number above 0"],
    [{ limits: { time: "soon" } }, "fetchExternal.limits.time", "must be a duration"],
    [{ limits: { redirects: 50 } }, "fetchExternal.limits.redirects", "must be a whole number from 0 to 20"],
  ] as const)("%j is refused at %s", ([fetchExternal, property, reason]) => {
    expect(check({ fetchExternal }).failures).toEqual([
      { property, reason: expect.stringContaining(reason) as string },
    ]);
  });

  test("an archive has none", () => {
    const destination = { folder: join(folder, "copies") };
    expect(check({ destination, fetchExternal: true }).failures).toMatchObject([
      { property: "fetchExternal" },
    ]);
  });
});

test("a preview says that what is fetched is not known yet", () => {
  const decision = (given: object): string => {
    const { inputs } = check({ fetchExternal: true, ...given });
    return planPublication(COPIES, inputs, undefined, 0).text;
  };
  expect(decision({ source: UNKNOWN })).toContain(
    ", with what its pages load from other hosts, which is known once the archive is here",
  );
  expect(decision({})).toMatch(/, with what its pages load from other hosts$/);
  expect(decision({ fetchExternal: false })).not.toContain("other hosts");
  const { inputs } = check({ fetchExternal: true });
  expect(bundleCopy.predict(inputs, undefined, { name: "docs", nowMs: 0 })).toMatchObject({
    fetchedAssets: UNKNOWN,
  });
});

describe("a preview of a local file", () => {
  async function foreseen(given: object = {}, files: Record<string, string> = {}, context = {}) {
    const { inputs } = check({ fetchExternal: true, ...given }, files);
    const { requests, reporter, context: made } = world(context);
    await bundleCopy.foresee?.(made, inputs, undefined);
    expect(requests).toEqual([]);
    const { info, warn } = reporter.lines;
    return [...info, ...warn];
  }

  test("names what would be fetched, without a request and without queries", async () => {
    const index =
      `${PAGE}<img src="${AT}i.png?key=s3cret"><script type="module" src="m.js"></script><a href="${AT}link"></a>` +
      `<iframe src="${AT}frame"></iframe><script src="https://www.googletagmanager.com/gtag.js"></script><img src="http://10.0.0.1/x.png">`;
    const files = {
      "index.html": index,
      "m.js": `import "${AT}lib.js"`,
      "style.css": `@import "${AT}b.css"`,
    };
    expect(await foreseen({}, files)).toEqual([
      expect.stringMatching(
        new RegExp(
          `would be fetched from other hosts: ${AT}a.css, ${AT}i.png, (?=.*${AT}lib.js)(?=.*${AT}b.css).*, and what these load$`,
        ),
      ),
    ]);
  });

  test("names the first of many", async () => {
    const images = Array.from({ length: 20 }, (_, at) => `<img src="${AT}${at}.png">`).join("");
    const [line] = await foreseen({}, { "index.html": images });
    expect(line).toContain(`${AT}11.png and 8 more, and what these load`);
  });

  test.each(["https://10.0.0.1/x.png", "https://169.254.169.254/x.png", "ftp://cdn.example.com/x.png"])(
    "does not name %s, which is never fetched",
    async (address) => {
      const [line] = await foreseen({}, { "index.html": `<img src="${address}">`, "lib.js": "" });
      expect(JSON.stringify(line)).not.toContain(address);
    },
  );

  test("says that nothing would be fetched", async () => {
    expect(await foreseen({ fetchExternal: { exclude: ["cdn.example.com"] } })).toEqual([
      expect.stringContaining("nothing would be fetched from other hosts"),
    ]);
  });

  test("says why it does not know: an archive that is refused, one that takes too long", async () => {
    writeFileSync(join(folder, "broken.tar.gz"), "no archive");
    expect(await foreseen({ source: { file: join(folder, "broken.tar.gz"), version: "v1" } })).toEqual([
      expect.stringContaining("what would be fetched is not known, because the archive cannot be used"),
    ]);
    let now = 0;
    const hasty: Clock = {
      ...systemClock,
      monotonic: () => (now += 20_000),
      after(_ms, callback) {
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    };
    expect(await foreseen({}, {}, { clock: hasty })).toEqual([
      expect.stringContaining(
        "what would be fetched is not named: the archive takes longer than 30s to read",
      ),
    ]);
  });

  test("says nothing if nothing would be published, or if the source is not known", async () => {
    const { inputs } = check({ fetchExternal: true });
    const state = await bundleCopy.create(world().context, inputs);
    const { context, reporter } = world();
    await bundleCopy.foresee?.(context, inputs, state);
    expect(reporter.lines).toEqual({ progress: [], info: [], warn: [] });
    expect(await foreseen({ source: UNKNOWN })).toEqual([]);
    expect(await foreseen({ fetchExternal: false })).toEqual([]);
  });
});
