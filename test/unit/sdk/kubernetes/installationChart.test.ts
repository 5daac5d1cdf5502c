import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { findChart } from "../../../../sdk/kubernetes/installationChart.ts";

const DIGEST = expect.stringMatching(/^sha256:[0-9a-f]{16}$/) as string;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "program-")));
  for (const name of ["chart", "charts/docs", "charts/empty"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  for (const name of ["chart", "charts/docs"]) {
    writeFileSync(join(folder, name, "Chart.yaml"), "name: docs\n");
  }
  writeFileSync(join(folder, "docs-1.0.0.tgz"), "…");
  writeFileSync(join(folder, "notes.txt"), "…");
  vi.spyOn(process, "cwd").mockReturnValue(folder);
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test.each(["./chart", "./charts/docs/", "./docs-1.0.0.tgz"])(
  "%s is a chart on this machine, written as it was given",
  (given) => {
    expect(findChart(given)).toEqual({ reference: given, digest: DIGEST });
  },
);

test("an absolute path is one, too", () => {
  const path = join(folder, "chart");
  expect(findChart(path)).toEqual({ reference: path, digest: DIGEST });
});

test.each(["chart", "charts/docs"])(
  "%s without its dot is refused where such a chart is, with the right spelling",
  (given) => {
    expect(findChart(given)).toEqual({ reference: `./${given}`, digest: DIGEST });
  },
);

test.each([
  ["oci://registry.example.com/docs"],
  ["https://example.com/docs-1.0.0.tgz"],
  ["vendor/docs"],
  ["docs"],
  ["charts/empty"], // a folder, but no chart: Helm reads it as repository/name
])("%s is a published chart: passed on, and without a digest", (given) => {
  expect(findChart(given)).toEqual({ reference: given });
});

test("a name in a given repository stays a name, even if a folder of that name exists", () => {
  expect(findChart("chart", { inRepository: true })).toEqual({ reference: "chart" });
});

test.each([
  ["./nowhere", /chart "\.\/nowhere": there is no folder \S+program-\w+\/nowhere\./],
  ["./charts/empty", /the folder \S+program-\w+\/charts\/empty has no Chart\.yaml\./],
  ["./notes.txt", /program-\w+\/notes\.txt is a file; give the chart's folder, or a packed chart/],
  ["/nowhere", /there is no folder \/nowhere\./],
  [" ", /`chart` is missing/],
  [undefined as never, /`chart` is missing/],
])("%j is refused, with the searched path", (given, message) => {
  expect(findChart(given)).toEqual({ problem: expect.stringMatching(message) as string });
});
