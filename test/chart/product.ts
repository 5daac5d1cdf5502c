// `npm run chart -- …`: the commands that publish the chart.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../programs/commands.ts";
import { prepareHelm } from "../programs/goPrograms.ts";
import { CHART } from "./renderedChart.ts";
import { withValuesTable } from "./valuesTable.ts";

const USAGE = `npm run chart -- readme                  writes the table of values into the chart's README
npm run chart -- package [FOLDER]        packs the chart. Default: .work
npm run chart -- push oci://HOST/PATH    packs and pushes it; more arguments are helm's, such as --plain-http`;

const say = (what: string) => console.log(`chart: ${what}`);

async function writeReadme(): Promise<void> {
  const [readme, values] = await Promise.all([read("README.md"), read("values.yaml")]);
  await writeFile(join(CHART, "README.md"), await withValuesTable(readme, values));
}

/** @returns the packed chart, alone in its folder or beside what was there */
async function packChart(folder: string): Promise<string> {
  const helm = await prepareHelm(say);
  await runCommand(helm, ["lint", "--strict", CHART]);
  await mkdir(folder, { recursive: true });
  const output = await runCommand(helm, ["package", CHART, "--destination", folder]);
  say(output.trim());
  return output;
}

async function push(registry: string, more: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "docs-hosting-chart-"));
  try {
    await packChart(folder);
    const [file = ""] = await readdir(folder);
    const helm = await prepareHelm(say);
    say((await runCommand(helm, ["push", join(folder, file), registry, ...more])).trim());
  } finally {
    await rm(folder, { recursive: true });
  }
}

const read = (name: string) => readFile(join(CHART, name), "utf8");

const [command, ...args] = process.argv.slice(2);
const [place, ...more] = args;
try {
  if (command === "readme") await writeReadme();
  else if (command === "package") await packChart(place ?? ".work");
  else if (command === "push" && place?.startsWith("oci://") === true) await push(place, more);
  else {
    console.error(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  // helm's own message is enough
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
