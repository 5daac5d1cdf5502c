// `npm test -- pictures`: draws the pictures of the documentation from real runs and committed figures. The same content gives the same
// bytes, so that a change shows in a diff. `-- --output FOLDER` writes them elsewhere; `-- lag fleet` draws only these.
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CHROMIUM } from "../foreignSites/watchedPage.ts";
import { CHART_NAMES, drawChart } from "./charts.ts";
import { SCHEMES } from "./colours.ts";
import { recordUp } from "./recording.ts";
import { takeScreens } from "./screens.ts";
import { drawTerminal } from "./terminal.ts";

const FOLDER = join(import.meta.dirname, "../../docs/pictures");

/** Each draws one or more files. */
const PICTURES: Readonly<Record<string, () => Promise<Map<string, string | Buffer>>>> = {
  ...Object.fromEntries(
    CHART_NAMES.map((name) => [name, () => inSchemes((scheme) => drawChart(name, scheme), name)]),
  ),
  async up() {
    const recording = await recordUp();
    return inSchemes((scheme) => drawTerminal(recording, scheme), "up");
  },
  async site() {
    if (existsSync(CHROMIUM)) return takeScreens();
    console.log(`site: NOT DRAWN: there is no Chromium at ${CHROMIUM} (set CHROMIUM)`);
    return new Map();
  },
};

async function inSchemes(
  draw: (scheme: (typeof SCHEMES)[number]) => string | Promise<string>,
  name: string,
): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  for (const scheme of SCHEMES) drawn.set(`${name}-${scheme}.svg`, await draw(scheme));
  return drawn;
}

const { values, positionals } = parseArgs({
  options: { output: { type: "string" } },
  allowPositionals: true,
});
const folder = values.output === undefined ? FOLDER : resolve(values.output);
await mkdir(folder, { recursive: true });
const unknown = positionals.filter((name) => !Object.hasOwn(PICTURES, name));
if (unknown.length > 0) {
  throw new Error(
    `no picture is called ${unknown.join(", ")}; there are ${Object.keys(PICTURES).join(", ")}`,
  );
}
for (const [name, draw] of Object.entries(PICTURES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  for (const [file, content] of await draw()) {
    const path = join(folder, file);
    const isSame = existsSync(path) && readFileSync(path).equals(Buffer.from(content));
    if (!isSame) await writeFile(path, content);
    console.log(
      `${file}: ${isSame ? "unchanged" : "written"}, ${Math.ceil(Buffer.byteLength(content) / 1024)} KiB`,
    );
  }
}
