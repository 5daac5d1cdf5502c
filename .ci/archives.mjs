// `npm run archives [-- --target linux-amd64] [--folder FOLDER]`: the native plugin as Pulumi downloads it, an archive for each
// kind of machine with one executable that contains Node.js. The same sources give the same bytes.
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { create } from "tar";
import { findCommand } from "../test/programs/commands.ts";
import { pluginFlags } from "../test/programs/pluginFlags.ts";
import { nodeBinary } from "./nodeBinaries.mjs";

const run = promisify(execFile);

/** Machines as Node.js names them, by Pulumi's names. */
const TARGETS = {
  "linux-amd64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "darwin-amd64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
  "windows-amd64": "win32-x64",
  "windows-arm64": "win32-arm64",
};
const PLUGIN = "pulumi-resource-docs-hosting";

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    folder: { type: "string", default: ".work/archives" },
  },
});
const { version } = JSON.parse(await readFile("package.json", "utf8"));
for (const target of values.target ?? Object.keys(TARGETS)) {
  const path = await writeArchive(target, values.folder);
  console.log(`${path}: ${((await stat(path)).size / 1e6).toFixed(1)} MB`);
}

async function writeArchive(target, folder) {
  const machine = TARGETS[target];
  if (!machine) throw new Error(`no target ${target}: there are ${Object.keys(TARGETS).join(", ")}`);
  const scratch = await mkdtemp(join(tmpdir(), "archive-"));
  try {
    const executable = target.startsWith("windows") ? `${PLUGIN}.exe` : PLUGIN;
    await writeExecutable(machine, join(scratch, executable));
    await copyFile("LICENSE", join(scratch, "LICENSE"));
    await copyFile("plugin/LICENSES.txt", join(scratch, "LICENSES.txt"));
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${PLUGIN}-v${version}-${target}.tar.gz`);
    const entries = [executable, "LICENSE", "LICENSES.txt", "LICENSE-node.txt"];
    // not as this machine has them: Windows knows no modes
    const onWriteEntry = ({ path, stat }) => (stat.mode = 0o100000 | (path === executable ? 0o755 : 0o644));
    await create(
      {
        file,
        cwd: scratch,
        gzip: { level: 9 },
        portable: true,
        mtime: new Date(0),
        strict: true,
        onWriteEntry,
      },
      entries,
    );
    return file;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** See https://nodejs.org/api/single-executable-applications.html */
async function writeExecutable(machine, output) {
  const node = await nodeBinary(machine);
  // what is put into an executable is written by a Node.js of the same version
  const builder = await nodeBinary(`${process.platform}-${process.arch}`, node.version);
  const config = `${output}.json`;
  const settings = {
    main: "plugin/plugin.js",
    executable: node.path,
    output,
    disableExperimentalSEAWarning: true,
    execArgv: pluginFlags(),
  };
  await writeFile(config, JSON.stringify(settings));
  await run(builder.path, ["--build-sea", config]);
  await rm(config);
  await copyFile(builder.licence, join(output, "../LICENSE-node.txt"));
  if (machine.startsWith("darwin")) await sign(output);
}

/** macOS on arm64 starts only what is signed, and Node.js' own signature is not that of the executable. */
async function sign(path) {
  const [codesign, rcodesign] = ["codesign", "rcodesign"].map((name) =>
    findCommand(name, process.env["PATH"]),
  );
  if (codesign) await run(codesign, ["--sign", "-", "--force", "--identifier", PLUGIN, path]);
  else if (rcodesign) await run(rcodesign, ["sign", "--binary-identifier", PLUGIN, path]);
  else {
    throw new Error(
      "an archive for darwin needs codesign, which macOS has, or rcodesign (cargo install apple-codesign): there is neither on PATH",
    );
  }
}
