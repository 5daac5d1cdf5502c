import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { create, list, type ReadEntry } from "tar";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { InputError } from "../../../../provider/base/runtime/messages/errors.ts";
import { packChart } from "../../../../provider/kits/contents/chartArchive.ts";
import { chartFacts } from "../../../../provider/kits/contents/chartFacts.ts";
import { processorMs } from "../../../simulation/processorTime.ts";
import { notOnWindows } from "../../../systems.ts";

const { signal } = new AbortController();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chart-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const CHART = 'apiVersion: v2\nname: docs\nversion: 1.2.3+4 # of today\nkubeVersion: ">=1.25.0-0"\n';

function chart(files: Readonly<Record<string, string>> = {}, name = "source"): string {
  const root = join(folder, name);
  for (const [path, text] of Object.entries({ "Chart.yaml": CHART, "templates/a.yaml": "a: 1", ...files })) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

let kits = 0;
async function packed(from: string) {
  const kit = join(folder, `kit${++kits}`);
  mkdirSync(kit);
  const facts = await packChart(from, kit, signal);
  return { facts, file: join(kit, facts.path), bytes: readFileSync(join(kit, facts.path)) };
}

function entriesOf(file: string): Record<string, string> {
  const entries: Record<string, string> = {};
  const onReadEntry = (entry: ReadEntry): void => {
    let text = "";
    entry.on("data", (chunk: Buffer) => (text += chunk.toString()));
    entry.on("end", () => (entries[entry.path] = text));
  };
  list({ file, sync: true, onReadEntry });
  return entries;
}

describe("a chart's folder", () => {
  test("is packed as helm does it: everything in one folder of its name, in a file with name and version", async () => {
    const { facts, file, bytes } = await packed(chart({ "values.yaml": "", "files/über.txt": "ü" }));
    expect(facts).toEqual({
      name: "docs",
      version: "1.2.3+4",
      kubeVersion: ">=1.25.0-0",
      hasDependencies: false,
      path: "chart/docs-1.2.3_4.tgz",
      sha256: createHash("sha256").update(bytes).digest("hex"),
      size: bytes.length,
    });
    expect(entriesOf(file)).toEqual({
      "docs/Chart.yaml": CHART,
      "docs/files/über.txt": "ü",
      "docs/templates/a.yaml": "a: 1",
      "docs/values.yaml": "",
    });
  });

  test("gives the same bytes for the same files, with any times and modes; a changed byte gives others", async () => {
    const one = chart({ "values.yaml": "a: 1" });
    const two = join(folder, "other");
    cpSync(one, two, { recursive: true });
    utimesSync(join(two, "values.yaml"), 1, 1);
    chmodSync(join(two, "values.yaml"), 0o700);
    const first = (await packed(one)).bytes;
    expect((await packed(two)).bytes).toEqual(first);
    writeFileSync(join(two, "values.yaml"), "a: 2");
    expect((await packed(two)).bytes).not.toEqual(first);
  });

  test("is packed until its run is stopped, and no further", async () => {
    const from = chart({ "large.bin": "" });
    writeFileSync(join(from, "large.bin"), randomBytes(96 * 2 ** 20));
    const kit = join(folder, "kit");
    mkdirSync(kit);
    const stop = new AbortController();
    const packing = packChart(from, kit, stop.signal);
    // in the middle of the large file
    while (!existsSync(join(kit, "chart/docs-1.2.3_4.tgz"))) await setImmediate();
    const stoppedMs = processorMs();
    stop.abort(new Error("stopped"));
    await expect(packing).rejects.toThrow(/stopped|abort/);
    expect(processorMs() - stoppedMs).toBeLessThan(1_000);
    await expect(packChart(from, join(folder, "other"), stop.signal)).rejects.toThrow();
  });

  test("is not packed without its rules when these cannot be read", async () => {
    const from = chart();
    mkdirSync(join(from, ".helmignore"));
    await expect(packed(from)).rejects.toThrow("EISDIR");
  });

  test("is packed without files that its .helmignore names; links are followed", async () => {
    const from = chart({
      ".helmignore": "# not these\n*.md\n/secret/\n",
      "README.md": "x",
      "secret/key": "x",
      "templates/.swp": "x",
      "files/secret/key": "kept",
    });
    symlinkSync(join(from, "files"), join(from, "linked"));
    expect(Object.keys(entriesOf((await packed(from)).file))).toEqual([
      "docs/.helmignore",
      "docs/Chart.yaml",
      "docs/files/secret/key",
      "docs/linked/secret/key",
      "docs/templates/a.yaml",
    ]);
  });

  test("with the charts that it needs is packed with them; an empty list of them needs none", async () => {
    const needy = `${CHART}dependencies:\n  - name: x\n`;
    const { facts, file } = await packed(chart({ "Chart.yaml": needy, "charts/x-1.0.0.tgz": "x" }));
    expect(facts.hasDependencies).toBe(true);
    expect(Object.keys(entriesOf(file))).toContain("docs/charts/x-1.0.0.tgz");
    const none = await packed(chart({ "Chart.yaml": `${CHART}dependencies: []\n` }, "other"));
    expect(none.facts.hasDependencies).toBe(false);
  });

  test("gives its files in the order of their paths' bytes, on every system", async () => {
    const names = ["a.txt", "a/b.txt", "a0.txt", "B.txt", "\uff5e.txt", "\u{1f600}.txt"];
    const { file } = await packed(chart(Object.fromEntries(names.map((name) => [name, name]))));
    expect(Object.keys(entriesOf(file))).toEqual([
      "docs/B.txt",
      "docs/Chart.yaml",
      "docs/a.txt",
      "docs/a/b.txt",
      "docs/a0.txt",
      "docs/templates/a.yaml",
      "docs/\uff5e.txt",
      "docs/\u{1f600}.txt",
    ]);
  });

  test("with something that is neither a file nor a folder is refused, unless its .helmignore names that", async (context) => {
    notOnWindows(context, "it has no devices with paths");
    const from = chart();
    symlinkSync("/dev/null", join(from, "device"));
    await expect(packed(from)).rejects.toMatchObject({
      message: "device of the chart is neither a file nor a folder",
      remedy: "Remove it.",
    });
    writeFileSync(join(from, ".helmignore"), "device");
    expect(Object.keys(entriesOf((await packed(from)).file))).not.toContain("docs/device");
  });

  test("with a file that has other bytes than its size says is refused: another program writes to it", async (context) => {
    const growing = "/proc/self/status"; // of size 0, but with content
    context.skip(!existsSync(growing), "no file of this system is longer than its size");
    const from = chart();
    symlinkSync(growing, join(from, "log"));
    await expect(packed(from)).rejects.toMatchObject({
      message: "log of the chart changed while it was packed",
      remedy: "Run `pulumi up` again.",
    });
  });

  const rewritten = (text: string) => (from: string) => writeFileSync(join(from, "Chart.yaml"), text);
  const NEEDY = `${CHART}dependencies:\n  - name: x\n`;
  const NAME = "no usable name in its Chart.yaml Write it as a text, such as «name: docs»";
  const VERSION = "no usable version in its Chart.yaml Write it as a text, such as «version: 1.0.0»";
  test.each<[string, (from: string) => void, string]>([
    [
      "without a Chart.yaml",
      (from) => rmSync(join(from, "Chart.yaml")),
      "has no Chart.yaml Give the path of a chart.",
    ],
    ["without a name", rewritten("version: 1.0.0"), NAME],
    ["without a version", rewritten("name: docs"), VERSION],
    ["with a version that is a path", rewritten("name: docs\nversion: 1/../../x"), VERSION],
    ["whose Chart.yaml is a list", rewritten("- name: docs"), NAME],
    ["whose Chart.yaml is no YAML", rewritten("name: [docs"), "source is not valid YAML: "],
    ["that needs others and has none", rewritten(NEEDY), "helm dependency build"],
    [
      "that needs others and has an empty folder for them",
      (from) => {
        rewritten(NEEDY)(from);
        mkdirSync(join(from, "charts"));
      },
      "depends on other charts, but its folder charts/ has none",
    ],
    [
      "with a link that leads nowhere",
      (from) => symlinkSync(join(from, "none"), join(from, "a")),
      "a of the chart cannot be read (ENOENT) Fix or remove it.",
    ],
    ["with a link in a circle", (from) => symlinkSync(from, join(from, "files")), "leads to itself"],
    [
      "with a link to a folder further up",
      (from) => {
        mkdirSync(join(from, "files/a"), { recursive: true });
        symlinkSync(join(from, "files"), join(from, "files/a/b"));
      },
      "the folder files/a/b of the chart leads to itself by a link Remove that link.",
    ],
    [
      "that is not there",
      (from) => rmSync(from, { recursive: true }),
      "Give the path of its folder or of its .tgz.",
    ],
  ])("%s is refused", async (_, spoil, message) => {
    const from = chart();
    spoil(from);
    const run = packed(from);
    await expect(run).rejects.toThrow(InputError);
    const output = await run.catch((error: unknown) => {
      const { message: what, remedy } = error as InputError;
      return `${what} ${remedy}`;
    });
    expect(output).toContain(message);
  });
});

describe("a packed chart", () => {
  test("is known by the Chart.yaml in its only folder, not by those of charts that it contains", async () => {
    const given = join(folder, "given.tgz");
    const other = "name: other\nversion: 9.9.9\n";
    const from = chart({ "charts/a/Chart.yaml": other, "Chart.yaml.bak": other, "a.Chart.yaml": other });
    const names = ["charts/a/Chart.yaml", "Chart.yaml.bak", "a.Chart.yaml", "Chart.yaml"];
    for (const [cwd, prefix] of [
      [folder, "source"],
      [folder, "./source"],
    ] as const) {
      const paths = names.map((name) => `${prefix}/${name}`);
      create({ file: given, cwd, gzip: true, sync: true, noDirRecurse: true }, paths);
      expect((await packed(given)).facts).toMatchObject({ name: "docs", version: "1.2.3+4" });
    }
    create({ file: given, cwd: from, gzip: true, sync: true }, ["Chart.yaml"]);
    await expect(packed(given)).rejects.toThrow("is not a packed chart");
    mkdirSync(join(from, "no/Chart.yaml"), { recursive: true });
    create({ file: given, cwd: from, gzip: true, sync: true }, ["no/Chart.yaml"]);
    await expect(packed(given)).rejects.toThrow("is not a packed chart");
  });

  test("stays unchanged, byte for byte, under its own name and version", async () => {
    const { file, bytes } = await packed(chart());
    const given = join(folder, "given.tgz");
    cpSync(file, given);
    const again = await packed(given);
    expect(again.facts.path).toBe("chart/docs-1.2.3_4.tgz");
    expect(createHash("sha256").update(again.bytes).digest()).toEqual(
      createHash("sha256").update(bytes).digest(),
    );
  });

  test("that is invalid is refused", async () => {
    const given = join(folder, "given.tgz");
    for (const content of ["", "x".repeat(600)]) {
      writeFileSync(given, content);
      await expect(packed(given)).rejects.toThrow("is not a packed chart");
    }
    const { bytes } = await packed(chart());
    writeFileSync(given, bytes.subarray(0, 40));
    await expect(packed(given)).rejects.toMatchObject({
      message: `${given} is not a packed chart: it is not a complete tar.gz with a Chart.yaml in its only folder`,
      remedy: "Give the output of `helm package`, or the chart's folder.",
    });
  });
});

test.each([
  ["name: \"docs\"\nversion: '1.0.0'", "docs", "1.0.0"],
  [
    "dependencies:\n  - name: other\n    version: 9.9.9\nversion: 1.0.0   # x\nname: docs#1",
    undefined,
    undefined,
  ],
  ["name: docs\r\nversion: 1.0.0-rc.1\r\n", "docs", "1.0.0-rc.1"],
  ["name: docs\nversion: 1.0\n", undefined, undefined], // a number, which helm refuses
  ["name: docs\nversion: '1.0\n", undefined, undefined],
  ["name: D0._-c\nversion: 1.0.0-a.B+c", "D0._-c", "1.0.0-a.B+c"],
  ["name: -docs\nversion: 1.0.0", undefined, undefined],
  ["name: docs/x\nversion: 1.0.0", undefined, undefined],
  ["name: docs\nversion: +1.0.0", undefined, undefined],
  ["name: docs\nversion: 1.0.0 x", undefined, undefined],
  ["name: 7\nversion: 1.0.0", undefined, undefined],
])("%j is read by its own values", (yaml, name, version) => {
  const read = (): unknown => chartFacts(yaml, "here");
  if (name === undefined) expect(read).toThrow(InputError);
  else expect(read()).toMatchObject({ name, version });
});
