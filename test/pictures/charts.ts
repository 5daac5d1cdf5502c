import * as vega from "vega";
import { compile, type Config, type TopLevelSpec } from "vega-lite";
import { CASES, CODE } from "../bench/fleet.ts";
import { CALM, simulateFleet } from "../simulation/fleet/fleet.ts";
import { COLOURS, FONTS, type Scheme } from "./colours.ts";
import { figuresOf, rowOf } from "./figures.ts";

/** Draws a chart as SVG. The same data gives the same bytes: texts are measured by tables, not by a font of the machine. */
export async function drawChart(name: ChartName, scheme: Scheme): Promise<string> {
  const { spec } = compile(CHARTS[name](scheme), { config: configOf(scheme) });
  const view = new vega.View(vega.parse(spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return `${svg}\n`;
}

type Draw = (scheme: Scheme) => TopLevelSpec;

export type ChartName = keyof typeof CHARTS;

const OURS = "pulumi-docs-hosting";

/** Bars with their values at their ends, one for each way to do it; ours stands out. */
function bars(
  title: string,
  subtitle: string,
  values: readonly { readonly way: string; readonly value: number; readonly label: string }[],
  scheme: Scheme,
): TopLevelSpec {
  const { ours, other, text } = COLOURS[scheme];
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    width: 420,
    height: { step: 34 },
    title: { text: title, subtitle },
    data: { values: [...values] },
    encoding: {
      y: {
        field: "way",
        type: "nominal",
        sort: null,
        axis: { title: null, domain: false, ticks: false, labelPadding: 8 },
      },
      x: { field: "value", type: "quantitative", axis: null },
    },
    layer: [
      {
        mark: { type: "bar", height: 20, cornerRadiusEnd: 3 },
        encoding: { color: { condition: { test: `datum.way === '${OURS}'`, value: ours }, value: other } },
      },
      {
        mark: { type: "text", align: "left", dx: 6, color: text },
        encoding: { text: { field: "label", type: "nominal" } },
      },
    ],
  };
}

const CHARTS = {
  lag(scheme) {
    const row = rowOf(figuresOf("polls / mean lag"), "linear, 60–300 s");
    const ways = [OURS, "a script, sleep 10", "a script, sleep 2", "AWS's waiter"];
    const values = ways.map((way, index) => {
      const [polls = "", mean = ""] = (row[index] ?? "").split(" / ");
      return { way, value: Number(mean), label: `${Number(mean).toFixed(1)} s, ${polls} polls` };
    });
    return bars(
      "How late the end of a job is noticed",
      "mean of 1,000 jobs of 1 to 5 minutes",
      values,
      scheme,
    );
  },

  idle(scheme) {
    const { renewals, runs } = simulateFleet(CODE, CALM);
    const sites = CALM.stacks * CALM.sitesPerStack;
    const sitesOfRuns = runs * CALM.sitesPerStack;
    const perSite = (requests: number): number => requests / sites;
    const values = [
      { way: OURS, value: perSite(renewals) },
      { way: "a script, one link a run", value: perSite(sitesOfRuns) },
    ].map((each) => ({ ...each, label: each.value.toFixed(0) }));
    return bars(
      "Requests for a site in a week without changes",
      "10,000 sites, a run every hour, links of 24 hours",
      values,
      scheme,
    );
  },

  pages(scheme) {
    const [each = "", once = ""] = rowOf(figuresOf("answers a second"), "all 42 pages in turn, 38.8 kB");
    const label = (value: string): string => Number(value).toLocaleString("en");
    const values = [
      { way: OURS, value: Number(once), label: label(once) },
      { way: "compressed for each reader", value: Number(each), label: label(each) },
    ];
    return bars("Pages a second from one core", "the chart's web server, 42 pages in turn", values, scheme);
  },

  fleet(scheme) {
    const cases = {
      "the operator alone": "all faults, the operator as it is",
      "with examples/fleet": "all faults, all cures",
    };
    const { ours, other } = COLOURS[scheme];
    const values = Object.entries(cases).flatMap(([way, name]) => {
      let hour = 0;
      const found: { way: string; day: number; sites: number }[] = [];
      simulateFleet(CODE, { ...CALM, ...CASES[name] }, (sites) =>
        found.push({ way, day: ++hour / 24, sites }),
      );
      return found;
    });
    return {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      width: 520,
      height: 180,
      title: {
        text: "Sites without a valid link, of 10,000",
        subtitle: "a week with outages of 10 minutes and 6 hours, killed runs and failed requests",
      },
      data: { values },
      mark: { type: "line", interpolate: "step-after", strokeWidth: 2.5 },
      encoding: {
        x: {
          field: "day",
          type: "quantitative",
          scale: { domain: [0, 7] },
          axis: { title: "day", grid: false, tickCount: 7 },
        },
        y: { field: "sites", type: "quantitative", axis: { title: null, tickCount: 4 } },
        color: {
          field: "way",
          type: "nominal",
          scale: { domain: Object.keys(cases), range: [other, ours] },
          legend: { title: null, orient: "top-left" },
        },
      },
    };
  },
} as const satisfies Record<string, Draw>;

export const CHART_NAMES = Object.keys(CHARTS) as ChartName[];

function configOf(scheme: Scheme): Config {
  const { page, text, muted, line } = COLOURS[scheme];
  const axis = {
    labelColor: text,
    titleColor: muted,
    gridColor: line,
    domainColor: line,
    tickColor: line,
    labelFontSize: 13,
    labelLimit: 300,
  };
  return {
    background: page,
    font: FONTS.text,
    padding: 16,
    view: { stroke: null },
    axis,
    text: { fontSize: 13 },
    legend: { labelColor: text, labelFontSize: 13, labelLimit: 300, symbolType: "stroke" },
    title: {
      color: text,
      subtitleColor: muted,
      fontSize: 16,
      subtitleFontSize: 13,
      anchor: "start",
      offset: 14,
      subtitlePadding: 5,
    },
  };
}
