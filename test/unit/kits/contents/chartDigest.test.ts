import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chartDigest } from "../../../../provider/kits/contents/chartDigest.ts";

const FILES = {
  "Chart.yaml": "name: docs\n",
  "values.yaml": "replicas: 1\n",
  "templates/web.yaml": "kind: Deployment\n",
  "templates/_names.tpl": "",
  "templates.md": "", // before "templates/…", in any order of reading a folder
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chart-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function chart(name: string, files: Record<string, string> = FILES): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), content);
  }
  return join(folder, name);
}

test("is always the same text for the same files: a changed rule would update every release", () => {
  expect(chartDigest(chart("one"))).toBe("sha256:032bd96ea7001b06");
});

test("does not depend on the folder's name, the order of the files or their times", () => {
  const one = chart("one");
  const other = chart("other", Object.fromEntries(Object.entries(FILES).reverse()));
  utimesSync(join(other, "Chart.yaml"), 1, 1);
  expect(chartDigest(other)).toBe(chartDigest(one));
});

test("does not depend on permissions, which differ with each machine's umask", () => {
  const one = chart("one");
  const before = chartDigest(one);
  chmodSync(join(one, "values.yaml"), 0o755);
  expect(chartDigest(one)).toBe(before);
});

test.each<[string, (chart: string) => void]>([
  ["a changed file", (path) => writeFileSync(join(path, "templates/web.yaml"), "kind: StatefulSet\n")],
  ["a renamed file", (path) => renameSync(join(path, "values.yaml"), join(path, "values2.yaml"))],
  ["a new empty file", (path) => writeFileSync(join(path, "templates/b.yaml"), "")],
  ["a removed file", (path) => rmSync(join(path, "templates/_names.tpl"))],
  [
    "contents that changed places",
    (path) => {
      writeFileSync(join(path, "Chart.yaml"), FILES["values.yaml"]);
      writeFileSync(join(path, "values.yaml"), FILES["Chart.yaml"]);
    },
  ],
])("notices %s", (_, change) => {
  const path = chart("one");
  const before = chartDigest(path);
  change(path);
  expect(chartDigest(path)).not.toBe(before);
});

test("follows links, as Helm does, and ends in a circle", () => {
  const shared = join(chart("shared", { "values.yaml": FILES["values.yaml"] }), "values.yaml");
  const one = chart("one");
  const before = chartDigest(one);
  rmSync(join(one, "values.yaml"));
  symlinkSync(shared, join(one, "values.yaml"));
  expect(chartDigest(one)).toBe(before);
  symlinkSync(one, join(one, "templates/circle"), "dir");
  expect(chartDigest(one)).toBe(before);
});

test("leaves out the output of a dependency update, when the plugin will run one", () => {
  const path = chart("one", { ...FILES, "charts/local/Chart.yaml": "name: local\n" });
  const digests = (): string[] => [chartDigest(path), chartDigest(path, { withoutDependencies: true })];
  const [whole, withoutDependencies] = digests();
  chart("one", {
    "Chart.lock": "generated: now\n",
    "charts/redis-1.0.0.tgz": "…",
    "tmpcharts-1/redis.tgz": "…",
  });
  chart("one", { "requirements.lock": "generated: now\n", "tmpcharts/redis.tgz": "…" });
  expect(digests()[0]).not.toBe(whole);
  expect(digests()[1]).toBe(withoutDependencies);
  // the rest may look like them, but is part of the chart
  for (const name of [
    "charts/local/Chart.yaml",
    "charts/local/charts/redis-1.0.0.tgz",
    "charts/redis-1.0.0.tgz.md",
    "files/charts/redis-1.0.0.tgz",
    "files/Chart.lock",
    "Chart.lock.md",
    "a-tmpcharts/redis.tgz",
    "tmpcharts.md",
  ]) {
    const [, before] = digests();
    chart("one", { [name]: `changed ${name}\n` });
    expect(digests()[1], name).not.toBe(before);
  }
});

test("is that of the content for a packed chart", () => {
  const path = join(chart("packed", { "docs-1.0.0.tgz": "one" }), "docs-1.0.0.tgz");
  const before = chartDigest(path);
  writeFileSync(path, "other");
  expect(chartDigest(path)).not.toBe(before);
});
