import { mkdir, open, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { ignoreMissing } from "../../base/runtime/files/ignoreMissing";
import { copyInto } from "../../base/runtime/files/writeFile";
import { BundleRefusedError, InputError } from "../../base/runtime/messages/errors";
import { sha256In } from "../../base/runtime/values/digest";
import { ArchiveFile, GzipFile, readTarGz, type TarFile, tarOf } from "../../publishing/index";
import { type ChartFacts, chartFacts, chartInFolder } from "./chartFacts";
import { helmIgnore, type Ignore } from "./helmIgnore";
import type { SummedFile } from "./sums";

/** The folder of the chart in a kit. */
const CHART = "chart";
/** zlib's default. */
const LEVEL = 6;
/** Helm's limits: 100 MiB unpacked, and far fewer files; see `MaxDecompressedChartSize` of its loader. */
const LIMITS = { unpackedBytes: 100 * 2 ** 20, files: 100_000 };

/** A chart in a kit. */
export interface KitChart extends ChartFacts, SummedFile {}

/**
 * Adds a chart to a kit as helm packs it. A folder becomes `NAME-VERSION.tgz`, without the files that its `.helmignore` names;
 * the same files give the same bytes. A packed chart is copied byte for byte.
 *
 * @param chart path of the folder or of the `.tgz`
 * @param kit the kit's folder
 * @throws InputError when helm would not accept the chart; the error of the file system; the signal's reason
 */
export async function packChart(chart: string, kit: string, signal: AbortSignal): Promise<KitChart> {
  const from = resolve(chart);
  const ofFolder = chartInFolder(chart);
  const facts = ofFolder ?? (await factsOfArchive(from, chart, signal));
  // no file name of a kit has a plus; helm also replaces it where it is not allowed
  const path = `${CHART}/${facts.name}-${facts.version.replaceAll("+", "_")}.tgz`;
  await mkdir(join(kit, CHART));
  const to = join(kit, path);
  const { sha256, size } = ofFolder
    ? await packFolder(from, facts.name, to, signal)
    : await copyInto(from, to, signal);
  return { ...facts, path, sha256, size };
}

async function factsOfArchive(path: string, given: string, signal: AbortSignal): Promise<ChartFacts> {
  const file = await ArchiveFile.open(path);
  try {
    for await (const { name, kind, content } of readTarGz(file, LIMITS, signal)) {
      if (kind !== "file" || !/^(?:\.\/)?[^/]+\/Chart\.yaml$/.test(name)) continue;
      return chartFacts(await text(content), given);
    }
  } catch (error) {
    // its message is about bundles
    if (!(error instanceof BundleRefusedError)) throw error;
  } finally {
    await file.close();
  }
  throw new InputError(
    `${given} is not a packed chart: it is not a complete tar.gz with a Chart.yaml in its only folder`,
    "Give the output of `helm package`, or the chart's folder.",
  );
}

async function packFolder(folder: string, name: string, to: string, signal: AbortSignal) {
  const rules = (await readFile(join(folder, ".helmignore"), "utf8").catch(ignoreMissing)) ?? "";
  const files = await filesOf(folder, "", helmIgnore(rules), [], signal);
  files.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const archive = new GzipFile(to, LEVEL);
  for await (const bytes of tarOf(packed(folder, name, files, signal))) await archive.write(bytes);
  const { digest, size } = await archive.end();
  return { sha256: sha256In(digest), size };
}

async function* packed(
  folder: string,
  name: string,
  files: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<TarFile> {
  for (const path of files) {
    const { size } = await stat(join(folder, path));
    yield { path: `${name}/${path}`, size, content: unchanged(join(folder, path), path, size, signal) };
  }
}

/** The content of a file, which must have as many bytes as its header says. */
async function* unchanged(
  from: string,
  path: string,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let read = 0;
  const content = await open(from).catch(unreadable(path));
  for await (const chunk of content.createReadStream({ signal }) as AsyncIterable<Buffer>) {
    read += chunk.length;
    yield chunk;
  }
  if (read !== size) {
    throw new InputError(`${path} of the chart changed while it was packed`, "Run `pulumi up` again.");
  }
}

/**
 * Lists the files of a chart. Links are followed, as helm does.
 *
 * @param above real paths of the parent folders, which detect a cycle of links
 */
async function filesOf(
  root: string,
  folder: string,
  isIgnored: Ignore,
  above: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  signal.throwIfAborted();
  const real = await realpath(join(root, folder));
  if (above.includes(real)) {
    throw new InputError(`the folder ${folder} of the chart leads to itself by a link`, "Remove that link.");
  }
  const files: string[] = [];
  for (const entry of await readdir(join(root, folder)).catch(unreadable(folder))) {
    const path = folder === "" ? entry : `${folder}/${entry}`;
    const stats = await stat(join(root, path)).catch(unreadable(path));
    if (isIgnored(path, stats.isDirectory())) continue;
    if (stats.isDirectory()) files.push(...(await filesOf(root, path, isIgnored, [...above, real], signal)));
    else if (stats.isFile()) files.push(path);
    else throw new InputError(`${path} of the chart is neither a file nor a folder`, "Remove it.");
  }
  return files;
}

function unreadable(path: string): (error: unknown) => never {
  return (error) => {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new InputError(`${path} of the chart cannot be read (${code})`, "Fix or remove it.");
  };
}
