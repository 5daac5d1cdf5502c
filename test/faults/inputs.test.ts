// Inputs by users: I01 to I12 of the faults. Those that the engine decides are tested with whole stacks (test/stack).
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { dynamicHost } from "../../provider/adapters/dynamic/dynamicHost.ts";
import { dynamicProvider } from "../../provider/adapters/dynamic/dynamicProvider.ts";
import { publications } from "../../provider/adapters/session/publications.ts";
import { Session } from "../../provider/adapters/session/session.ts";
import { systemClock } from "../../provider/base/runtime/time/clock.ts";
import { inputNames } from "../../provider/resource/inputTable.ts";
import { checkByTable } from "../../provider/resource/inputTable.ts";
import { resolveApiKey, resolveBaseUrl } from "../../provider/service/configuration.ts";
import { type CheckedExportInputs, STATIC_EXPORT_INPUTS } from "../../provider/staticExport/inputs.ts";
import { staticExport } from "../../provider/staticExport/lifeCycle.ts";
import type { StaticExportArgs } from "../../sdk/staticExport.ts";
import { nothing, SimulatedExport } from "../simulation/simulatedExport.ts";

let site: SimulatedExport;

beforeEach(() => {
  site = new SimulatedExport();
  site.service.durationMs = 0;
  site.stackConfig["docs-hosting:baseUrl"] = site.service.baseUrl;
});

afterEach(() => {
  site.expectNoSecretShown();
});

const check = (given: Record<string, unknown>): ReturnType<typeof checkByTable<CheckedExportInputs>> =>
  checkByTable<CheckedExportInputs>(STATIC_EXPORT_INPUTS, given, site.context().configuration);

/** The result of these inputs. */
function checked(given: Record<string, unknown>): CheckedExportInputs {
  const { inputs, failures } = check(given);
  expect(failures).toEqual([]);
  return inputs;
}

const expectOneFailure = (given: Record<string, unknown>, property: string, reason: string): void =>
  expect(check({ domain: "docs.example.com", ...given }).failures).toEqual([
    { property, reason: expect.stringContaining(reason) as string },
  ]);

const HOST_ALONE = 'give the host name alone, such as "docs.example.com"';
const OWN_PATH = "which is part of each endpoint's own path. Write https://api.example.com";

test.each([
  ["I01", { domain: "" }, "is empty"],
  ["I01", { domain: "  " }, "is empty"],
  ["I01", { domain: " docs.example.com" }, "white space"],
  ["I01", { domain: "docs example.com" }, "white space"],
  ["I01", { domain: "docs.example.com\n" }, "white space"],
  ["I01", { domain: "https://docs.example.com" }, `is a URL; ${HOST_ALONE}`],
  ["I01", { domain: "https://docs.example.com/a" }, `is a URL; ${HOST_ALONE}`],
  ["I01", { domain: "docs.example.com/guide" }, `contains a path; ${HOST_ALONE}`],
  ["I01", { domain: "docs.example.com?preview=1" }, `contains «?»; ${HOST_ALONE}`],
  ["I01", { domain: "docs.example.com#top" }, `contains «#»; ${HOST_ALONE}`],
  ["I01", { domain: "docs.example.com\\page" }, `contains «\\»; ${HOST_ALONE}`],
  ["I01", { domain: "docs%2Eexample.com" }, `contains «%»; ${HOST_ALONE}`],
  ["I01", { domain: "me@docs.example.com" }, `contains «@»; ${HOST_ALONE}`],
  ["I01", { domain: "docs.example.com:443" }, `contains a port; ${HOST_ALONE}`],
  ["I01", { domain: "docs.example.com." }, "ends with a dot; remove it"],
  ["I01", { domain: "192.0.2.1" }, "IP address"],
  ["I01", { domain: "[2001:db8::1]" }, "IP address"],
  ["I01", { domain: "2001:db8::1" }, "IP address"],
  ["I01", { domain: "0x7f.1" }, "IP address"],
  ["I01", { domain: "../../etc" }, "path"],
  ["I04", { domain: `${"a.".repeat(123)}examples` }, "not a host name"],
  ["I04", { domain: `${"a".repeat(64)}.example` }, "not a host name"],
  ["I04", { domain: `${"ü".repeat(60)}.example` }, "not a host name"],
  ["I04", { domain: "my_docs.example.com" }, "not a host name"],
  ["I04", { domain: "-docs.example.com" }, "not a host name"],
  ["I04", { domain: "docs..example.com" }, "not a host name"],
  ["I04", { domain: "[docs].example.com" }, "not a host name"],
  ["I04", { domain: "docs.[example]" }, "not a host name"],
  ["I04", { domain: "docs\u0000.example.com" }, "not a host name"],
  ["I04", { domain: "docs\ud83d.example.com" }, "not a host name"],
  ["I05", { domain: "https://c4n4ry.example" }, "is a URL"],
  ["I05", { domain: "c4n4ry.example/x" }, "path"],
  ["I05", { domain: "c4n4ry.example:1" }, "port"],
  ["I05", { domain: "c4n4ry.example." }, "dot"],
  ["I05", { domain: "c4n4ry!" }, "not a host name"],
  ["I05", { domain: " c4n4ry" }, "white space"],
  ["I06", { apiKeyEnv: "svc_c4n4ry-key" }, "name of an environment variable"],
  ["I08", { baseUrl: "api.example.com" }, "not an http(s) URL"],
  ["I08", { baseUrl: "ftp://api.example.com" }, "not an http(s) URL"],
  ["I08", { baseUrl: "https://user:c4n4ry@api.example.com" }, "user name or password"],
  ["I08", { baseUrl: "https://api.example.com/?a=c4n4ry" }, "query"],
  ["I08", { baseUrl: "https://api.example.com/#c4n4ry" }, "fragment"],
  ["I08", { baseUrl: "https://api.example.com/v1" }, `ends in /v1, ${OWN_PATH}`],
  ["I08", { baseUrl: "https://api.example.com/docs/v2/" }, `ends in /v2, ${OWN_PATH}/docs`],
  ["I08", { baseUrl: "http://api.example.com" }, "uses http:"],
  ["I08", { baseUrl: "http://127.0.0.1.example.com" }, "uses http:"],
  ...["0s", "-1h", "NaN", "1e12", "soon"].map(
    (duration) => ["I09", { renewBefore: duration }, 'write it like "90s", "30m" or "24h"'] as const,
  ),
  ...["0s", "5", "soon"].map(
    (duration) => ["I09", { renewalTimeout: duration }, 'write it like "90s", "30m" or "24h"'] as const,
  ),
] as const)("%s %j is a check failure that names the fix and shows no secret", (_row, given, reason) => {
  expectOneFailure(given, Object.keys(given)[0] ?? "", reason);
  expect(JSON.stringify(check({ domain: "docs.example.com", ...given }).failures)).not.toContain("c4n4ry");
});

test.each([
  ["I02", "bücher.example", "xn--bcher-kva.example"],
  ["I02", "xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["I02", "bu\u0308cher.example", "xn--bcher-kva.example"],
  ["I03", "Docs.EXAMPLE.com", "docs.example.com"],
  ["I03", "BÜCHER.Example", "xn--bcher-kva.example"],
  ["I04", `${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
  ["I04", `${"a.".repeat(123)}example`, `${"a.".repeat(123)}example`],
  ["I04", "🚀.example", "xn--158h.example"],
  ["I04", "docs", "docs"],
])("%s the domain %j is stored and sent as %s, and its stored form is stable", (_, domain, stored) => {
  expect(checked({ domain }).domain).toBe(stored);
  expect(checked({ domain: stored }).domain).toBe(stored);
});

test("I02, I03 one site in another spelling is no difference", async () => {
  const state = await site.create(checked({ domain: "bücher.example" }));
  for (const domain of [
    "xn--bcher-kva.example",
    "BÜCHER.example",
    "bu\u0308cher.example",
    "XN--BCHER-KVA.example",
  ]) {
    expect(site.verdict(state, checked({ domain }))).toEqual(nothing);
  }
});

test("I02 a name that only looks the same is another site, and is shown to differ", async () => {
  const state = await site.create(checked({ domain: "docs.example.com" }));
  const lookalike = checked({ domain: "d\u043Ecs.example.com" }); // a Cyrillic o
  expect(lookalike.domain).toMatch(/^xn--/);
  expect(site.verdict(state, lookalike)).toMatchObject({ replaces: ["domain"], code: "REPLACED" });
});

describe("the admin API key", () => {
  test.each(["svc_simulated\n", " svc_simulated\r\n", "\uFEFFsvc_simulated"])(
    "I06 the key %j is sent without surrounding characters, with one warning for an operation",
    async (key) => {
      site.key = key;
      const state = await site.create();
      const warning =
        "the admin API key in DOCS_HOSTING_ADMIN_API_KEY (or the config docs-hosting:adminApiKey) has white space " +
        "around it, such as a line break: the white space is not sent";
      expect(site.reporter.lines.warn).toEqual([warning]);
      expect(site.verdict(state)).toEqual(nothing);
    },
  );

  test("I06 a key from the configuration is trimmed with a warning, too", async () => {
    site.key = "";
    site.stackConfig["docs-hosting:adminApiKey"] = "svc_simulated\n";
    await site.create();
    expect(site.reporter.lines.warn).toEqual([expect.stringContaining("white space")]);
  });

  test.each(["sk_live_123", '"svc_quoted"', "'svc_quoted'", "svc_a b", "svc_ümlaut", "svc_a\nb"])(
    "I06 the key %j is a check failure that shows only its length",
    (key) => {
      site.key = key;
      expectOneFailure(
        {},
        "apiKeyEnv",
        `its ${key.length} characters do not begin with svc_, or contain white space`,
      );
      expect(JSON.stringify(check({ domain: "docs.example.com" }).failures)).not.toContain(key);
      expect(() => resolveApiKey(site.context().configuration)).not.toThrow(key);
    },
  );
});

describe("the base URL", () => {
  test.each([
    ["https://api.example.com/", "https://api.example.com"],
    ["https://api.example.com/admin//", "https://api.example.com/admin"],
    ["HTTPS://API.example.com", "https://api.example.com"],
    [" https://api.example.com\n", "https://api.example.com"],
    ["https://api.example.com:443/x/../admin/", "https://api.example.com/admin"],
    ["http://127.0.0.1:4010", "http://127.0.0.1:4010"],
    ["http://localhost:4010/", "http://localhost:4010"],
    ["http://[::1]:4010", "http://[::1]:4010"],
  ])("I08 the base URL «%s» is stored as %s, from any source", (given, stored) => {
    expect(checked({ domain: "docs.example.com", baseUrl: given }).baseUrl).toBe(stored);
    site.stackConfig["docs-hosting:baseUrl"] = given;
    const source = { ...site.context().configuration, environment: () => undefined };
    expect(resolveBaseUrl(source)).toBe(stored);
  });

  test("I08 http: to another machine is accepted only when the configuration permits it", () => {
    site.stackConfig["docs-hosting:allowInsecure"] = "true";
    const baseUrl = "http://api.example.com";
    expect(checked({ domain: "docs.example.com", baseUrl }).baseUrl).toBe(baseUrl);
  });

  test.each(["https://api.example.test/admin", "https://api.example.test/admin/"])(
    "I08 requests go below the path of %s, and a slash at its end is no difference",
    async (baseUrl) => {
      const urls: string[] = [];
      site.service.fault = ({ url, method }) => {
        urls.push(url);
        if (url.endsWith("/bundle")) return { body: { bundleUrl: "https://store.example.test/x?c4n4ry" } };
        return { body: method === "GET" ? { status: "completed" } : { jobId: "7" } };
      };
      const state = await site.create(checked({ domain: "docs.example.com", baseUrl }));
      const jobs = "https://api.example.test/admin/v1/static-export/jobs";
      expect(urls).toEqual([jobs, `${jobs}/7`, `${jobs}/7/bundle`]);
      const other = baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : `${baseUrl}/`;
      expect(site.verdict(state, checked({ domain: "docs.example.com", baseUrl: other }))).toEqual(nothing);
    },
  );
});

describe("durations", () => {
  const timeoutFailures = async (create: unknown): Promise<string[]> => {
    const { failures } = await dynamicProvider(
      () => staticExport,
      new Session(dynamicHost, publications(dynamicHost)),
    ).check({}, { ...site.inputs, __timeouts: { create } });
    return failures.filter(({ property }) => property === "customTimeouts").map(({ reason }) => reason);
  };

  test.each(["0s", "0", "-5m", "NaN", "1e12", "", "10 minutes", 0, -1, NaN, 1e12, Infinity])(
    "I09 customTimeouts of %o are a check failure that shows how to write them",
    async (create) => {
      const shown = typeof create === "string" ? `'${create}'` : String(create);
      expect(await timeoutFailures(create)).toEqual([
        `create is ${shown}, not a duration; write it like "90s", "30m" or "1h30m"`,
      ]);
    },
  );

  test.each(["10m", "1.5h", "100ms", "999999h"])("I09 customTimeouts of «%s» are accepted", async (create) =>
    expect(await timeoutFailures(create)).toEqual([]),
  );

  test("I09 a limit of a hundred years sets no longer timer than any other", async () => {
    site.service.durationMs = 3_600_000;
    await site.create(site.inputs, 100 * 365 * 86_400_000);
    expect(Math.max(...site.clock.waits)).toBeLessThanOrEqual(60_000);
    expect(site.clock.pending).toBe(0);
  });

  test.each([2 ** 31 - 1, 2 ** 31, 1e12, Infinity])(
    "I09 a timer of %d ms does not fire at once",
    (delayMs) => {
      vi.useFakeTimers();
      try {
        const fired = vi.fn();
        const stop = systemClock.after(delayMs, fired);
        vi.advanceTimersByTime(2 ** 31 - 2);
        expect(fired).not.toHaveBeenCalled();
        stop();
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    },
  );
});

test("I10 an unknown input does not compile, and is a failure that names the known ones", () => {
  const args: StaticExportArgs = {
    domain: "docs.example.com",
    // @ts-expect-error -- the check of `tsc -p test`
    verison: "1",
  };
  const reason = "there is no such input. Inputs are: domain, version, triggers, jobId";
  expectOneFailure({ ...args }, "verison", reason);
});

test("I11 a state without the fields of later versions is no difference", async () => {
  const { outputs } = await site.create();
  const { domain, baseUrl, apiKeyEnv, jobId, version, status, bundleUrl = "" } = outputs;
  const old = { domain, baseUrl, apiKeyEnv, jobId, version, status, bundleUrl };
  const state = { outputs: old, bookkeeping: staticExport.noBookkeeping };
  const inputs = checked({ domain, baseUrl });
  expect(inputs).toEqual(site.inputs);
  expect(site.verdict(state, inputs)).toEqual(nothing);
  site.requests();
  expect((await site.update(state, inputs)).outputs).toEqual(old);
  expect(site.requests()).toEqual([]);
});

test("I12 null, undefined and absent are one", async () => {
  const names = inputNames(STATIC_EXPORT_INPUTS).filter((name) => name !== "domain");
  const all = (value: unknown): Record<string, unknown> => ({
    domain: "docs.example.com",
    ...Object.fromEntries(names.map((name) => [name, value])),
  });
  const state = await site.create(checked({ domain: "docs.example.com" }));
  for (const value of [null, undefined]) {
    expect(checked(all(value))).toEqual(checked({ domain: "docs.example.com" }));
    expect(site.verdict(state, checked(all(value)))).toEqual(nothing);
  }
  expect(site.verdict(state, checked({ domain: "docs.example.com", triggers: [] }))).toEqual(nothing);
});
