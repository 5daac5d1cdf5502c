// Every value of the chart, and every field of its groups, set to what people set by mistake or on purpose: it is rendered as it was meant,
// or refused by its name (null: nullValues.test.ts). Kubernetes' own validation and nginx read every rendering.
import { beforeAll, describe, expect, test } from "vitest";
import { problemsIn } from "./kubernetesValidation.ts";
import { nginxProblems } from "./nginxConfiguration.ts";
import {
  type HelmResult,
  manifestsIn,
  readChartYaml,
  serving,
  servingImage,
  SITE_IMAGE,
  templateUnjudged,
  type Values,
} from "./renderedChart.ts";

/** Everything is switched on, so that each value counts. */
const ALL_ON: Values = {
  autoscaling: { enabled: true },
  ingress: { enabled: true, hosts: ["docs.example.com"] },
  httpRoute: { enabled: true, parentRefs: [{ name: "web" }] },
  route: { enabled: true },
  service: { type: "LoadBalancer" },
};
const BASES: Readonly<Record<string, Values>> = {
  "a link": serving({ ...ALL_ON, fetch: { certificateAuthority: { configMap: "our-ca" } } }),
  "an image that serves it": { ...ALL_ON, ...servingImage("siteImage") },
  "a mounted image": { ...ALL_ON, ...servingImage("volume") },
};

const QUOTED = `it's a "text"`;
const LARGE = 1_000_000;
const GIVEN: Readonly<Record<string, unknown>> = {
  zero: 0,
  "a large number": LARGE,
  "a text with quotes": QUOTED,
  "a list": [LARGE, QUOTED],
};

const isGroup = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function namesIn(values: Values, path: readonly string[] = []): string[][] {
  return Object.entries(values).flatMap(([key, value]) => [
    [...path, key],
    ...(isGroup(value) ? namesIn(value, [...path, key]) : []),
  ]);
}

function withValue(values: Values, [key = "", ...rest]: readonly string[], value: unknown): Values {
  const inner = rest.length > 0 ? withValue((values[key] ?? {}) as Values, rest, value) : value;
  return { ...values, [key]: inner };
}

/** What is wrong with a rendering, if anything. */
async function problemsOf(before: HelmResult, after: HelmResult, path: readonly string[], given: unknown) {
  const name = path.join(".");
  const { stdout, output } = after;
  if (after.code !== 0) {
    if (/nil pointer|error calling (?!fail|include)/.test(output)) return [`a template failed: ${output}`];
    const isNamed =
      output.includes(`'/${path.join("/")}`) || new RegExp(`(^|[^.\\w])${name}\\b`).test(output);
    const isOfItsGroup = new RegExp(`\\n\\n?${path[0]}\\.`).test(output) && isGroup(given);
    return isNamed || isOfItsGroup ? [] : [`refused without its name: ${output}`];
  }
  const problems = [...(await problemsIn(stdout)), ...nginxProblems(stdout)];
  if (/\de\+\d|<nil>|<no value>|%!/.test(stdout)) problems.push("rendered as Go prints it");
  const text = JSON.stringify(manifestsIn(stdout));
  if (typeof given === "number" || typeof given === "string") {
    // as it is, or in a text of nginx
    const shown = [given, JSON.stringify(given)].map((each) => JSON.stringify(String(each)).slice(1, -1));
    if (!shown.some((each) => text.includes(each))) problems.push("not rendered");
  }
  // a registry of one's own may be named beside the site's image, which replaces it
  const isReplaced = path[0] === "image" && stdout.includes(`image: "${SITE_IMAGE}"`);
  const isChange = given !== defaultOf(path) && !isReplaced;
  if (isChange && stdout === before.stdout) problems.push("without effect");
  return problems;
}

let defaults: Values;
let paths: string[][];
beforeAll(async () => {
  defaults = await readChartYaml("values.yaml");
  paths = namesIn(defaults);
});

const defaultOf = (path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isGroup(value) ? value[key] : undefined), defaults);

/** Those paths at which the schema refuses the value. Helm names all of them at once, if no value is inside of another. */
async function refusedBySchema(base: Values, given: unknown): Promise<Set<string>> {
  const refused = new Set<string>();
  for (let depth = 1; paths.some((path) => path.length === depth); depth++) {
    const ofDepth = paths.filter((path) => path.length === depth);
    const { output } = await templateUnjudged(
      ofDepth.reduce((values, path) => withValue(values, path, given), base),
    );
    for (const path of ofDepth) {
      if (new RegExp(`at '/${path.join("/")}['/]`).test(output)) refused.add(path.join("."));
    }
  }
  return refused;
}

describe.concurrent.each(Object.keys(BASES))("with %s, each value of the chart", (source) => {
  const base = BASES[source] ?? {};
  // what a value may be is the same for each source of the site, whether it has an effect is not
  test.each(source === "a link" ? Object.keys(GIVEN) : ["a large number"])(
    "that is %s is rendered as it was meant, or refused by its name",
    { timeout: 600_000 },
    async (what) => {
      const before = await templateUnjudged(base);
      expect(before.code, before.output).toBe(0);
      const wrong: string[] = [];
      const given = GIVEN[what];
      const refused = await refusedBySchema(base, given);
      for (const path of paths.filter((each) => !refused.has(each.join(".")))) {
        const after = await templateUnjudged(withValue(base, path, given));
        for (const problem of await problemsOf(before, after, path, given)) {
          wrong.push(`${path.join(".")}: ${problem}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});
