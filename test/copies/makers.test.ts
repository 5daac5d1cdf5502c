// The archives of many makers: each is accepted, or is refused with a remedy whose command then makes an archive that is.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BundleRefusedError } from "../../provider/runtime/messages/errors.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { accepted, filesOf, followed, writeSite } from "./packedSite.ts";

/** Packages of npm that make archives. */
const NPM = ["adm-zip@0.6.1", "archiver@8.0.0", "fflate@0.8.3", "jszip@3.10.2", "tar-fs@3.1.3", "yazl@3.3.1"];

const scratch = mkdtempSync(join(tmpdir(), "makers-"));
let hasPackages = false;
const GO_MAKER = join(scratch, "go-maker");

beforeAll(async () => {
  writeFileSync(join(scratch, "package.json"), "{}");
  const install = [
    "install",
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    ...NPM,
    "tar@7",
  ];
  hasPackages = await runCommand("npm", install, { cwd: scratch }).then(
    () => true,
    () => false,
  );
  writeFileSync(join(scratch, "makers.mjs"), NPM_MAKERS);
  writeFileSync(join(scratch, "makers.go"), GO_MAKERS);
  if (findCommand("go") !== undefined)
    await runCommand("go", ["build", "-o", GO_MAKER, join(scratch, "makers.go")], {
      env: { ...process.env, GO111MODULE: "off" },
    });
  writeFileSync(join(scratch, "Zip.java"), JAVA_MAKER);
}, 300_000);

afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

const NPM_MAKERS = String.raw`
import { createWriteStream, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import * as archiver from "archiver"; import AdmZip from "adm-zip"; import JSZip from "jszip"; import { zipSync } from "fflate"; import yazl from "yazl";
import * as tar from "tar"; import { pack } from "tar-fs";
const [, , maker, out] = process.argv;
const files = readdirSync(".", { recursive: true }).filter((path) => statSync(path).isFile());
const makers = {
  "adm-zip": () => { const zip = new AdmZip(); zip.addLocalFolder("."); zip.writeZip(out); },
  "archiver tar": () => archived(new archiver.TarArchive({ gzip: true })),
  "archiver zip": () => archived(new archiver.ZipArchive({})),
  fflate: () => writeFileSync(out, zipSync(Object.fromEntries(files.map((path) => [path, readFileSync(path)])))),
  jszip: async () => {
    const zip = new JSZip();
    for (const path of files) zip.file(path, readFileSync(path));
    writeFileSync(out, await zip.generateAsync({ type: "nodebuffer", compression: "DEFLATE", streamFiles: true }));
  },
  tar: () => tar.create({ gzip: true, file: out }, ["."]),
  "tar, following links": () => tar.create({ gzip: true, file: out, follow: true }, ["."]),
  "tar-fs": () => pipeline(pack("."), createGzip(), createWriteStream(out)),
  yazl: async () => {
    const zip = new yazl.ZipFile();
    for (const path of files) zip.addFile(path, path);
    zip.end();
    await pipeline(zip.outputStream, createWriteStream(out));
  },
};
async function archived(archive) {
  const stream = createWriteStream(out);
  archive.pipe(stream);
  archive.directory(".", false);
  await Promise.all([archive.finalize(), once(stream, "close")]);
}
await makers[maker]();
`;

const GO_MAKERS = String.raw`package main

import ("archive/tar"; "archive/zip"; "compress/gzip"; "os")

func check(err error) { if err != nil { panic(err) } }

func main() {
	out, err := os.Create(os.Args[2]); check(err)
	defer out.Close()
	if os.Args[1] == "zip" {
		archive := zip.NewWriter(out)
		check(archive.AddFS(os.DirFS("."))); check(archive.Close())
		return
	}
	packed := gzip.NewWriter(out)
	archive := tar.NewWriter(packed)
	check(archive.AddFS(os.DirFS("."))); check(archive.Close()); check(packed.Close())
}
`;

const JAVA_MAKER = String.raw`
import java.io.*; import java.nio.file.*; import java.util.zip.*;
class Zip {
  public static void main(String[] names) throws IOException {
    try (var zip = new ZipOutputStream(new FileOutputStream(names[0])); var paths = Files.walk(Path.of("."), FileVisitOption.FOLLOW_LINKS)) {
      for (var path : (Iterable<Path>) paths.filter(Files::isRegularFile)::iterator) {
        zip.putNextEntry(new ZipEntry(Path.of(".").relativize(path).toString()));
        Files.copy(path, zip);
        zip.closeEntry();
      }
    }
  }
}
`;

/** A program of Python. Its arguments are the archive and the format. */
const PYTHON_TAR =
  "import sys, tarfile; t = tarfile.open(sys.argv[1], 'w:gz', format=getattr(tarfile, sys.argv[2])); t.add('.'); t.close()";
const PYTHON_FOLLOWING =
  "import sys, tarfile; t = tarfile.open(sys.argv[1], 'w:gz', dereference=True); t.add('.'); t.close()";
const PYTHON_SHUTIL =
  "import sys, shutil; shutil.make_archive(sys.argv[1].removesuffix('.' + sys.argv[3]), sys.argv[2], '.')";
const PYTHON_ZIP = `
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", getattr(zipfile, sys.argv[2])) as z:
    for folder, _, files in os.walk(".", followlinks=True):
        for file in files: z.write(os.path.join(folder, file))
`;
/** As Compress-Archive of Windows PowerShell 5.1 writes names. */
const BACKSLASHES = `
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for folder, _, files in os.walk("."):
        for file in files:
            path = os.path.join(folder, file)
            entry = zipfile.ZipInfo("x"); entry.filename = os.path.relpath(path).replace("/", "\\\\")
            z.writestr(entry, open(path, "rb").read())
`;

interface Maker {
  /** The command, which the test needs, and its arguments. It runs in the site's folder; `OUT` is the archive. */
  readonly run: readonly string[];
  /** The archive's name. @default site.tar.gz */
  readonly out?: string;
  /** Why every archive of this maker is refused. */
  readonly refused?: RegExp;
  /** What becomes of symbolic links: `kept` ones are refused; a maker may pack no folder with links. @default "kept" */
  readonly links?: "kept" | "followed" | "left out" | "not packed";
  /** A command that the test needs. @default that of `run` */
  readonly needs?: string;
  readonly isNpm?: true;
}

const shell = (script: string): string[] => ["sh", "-c", script];
const npm = (name: string, out: string, links: Maker["links"]): Maker => ({
  run: [process.execPath, join(scratch, "makers.mjs"), name, "OUT"],
  out,
  ...(links && { links }),
  isNpm: true,
});
const XZ = /is compressed with xz/;
const BZIP2 = /is compressed with bzip2/;
const ZIP = { out: "site.zip" };
const METHOD = /is compressed by method/;

const MAKERS: Readonly<Record<string, Maker>> = {
  ...Object.fromEntries(
    ["gnu", "oldgnu", "pax", "posix"].map((format) => [
      `GNU tar, ${format}`,
      { run: ["tar", `--format=${format}`, "-czf", "OUT", "."] },
    ]),
  ),
  "GNU tar, ustar": { run: ["tar", "--format=ustar", "-czf", "OUT", "."] },
  "GNU tar, following links": { run: ["tar", "-chzf", "OUT", "."], links: "followed" },
  "GNU tar, names without a folder": { run: shell("tar -czf OUT *") },
  "GNU tar, its folder": { run: shell("tar -C .. -czf OUT $(basename $PWD)") },
  "GNU tar, sparse": {
    run: shell("truncate -s 1M hole.bin && tar -S -czf OUT . && rm hole.bin"),
    refused: /sparse/,
  },
  "GNU tar, a label": { run: ["tar", "-V", "docs", "-czf", "OUT", "."], refused: /entry of type «V»/ },
  "GNU tar, increments": {
    run: shell("tar -g $(dirname OUT)/snapshot -czf OUT ."),
    refused: /entry of type «D»/,
  },
  "GNU tar, absolute names": { run: shell('tar -P -czf OUT "$PWD"'), refused: /has an absolute path/ },
  "GNU tar, appended": {
    run: shell("tar -cf x.tar . && tar -rf x.tar ./index.html && gzip -c x.tar > OUT; rm x.tar"),
    refused: /occurs twice/,
  },
  "GNU tar, joined": {
    run: shell("{ tar -cz ./v1.0; tar -cz ./index.html; } > OUT"),
    refused: /continues after its end/,
  },
  "GNU tar, deeper": {
    run: shell('b=$(dirname OUT); cp -a . "$b/html" && touch "$b/a" && tar -C "$b" -czf OUT html a'),
    refused: /no index\.html, .* only «html\/index\.html»/,
  },
  "GNU tar, not compressed": {
    run: ["tar", "-cf", "OUT", "."],
    out: "site.tar",
    refused: /a tar without compression/,
  },
  "GNU tar, xz": { run: ["tar", "-cJf", "OUT", "."], out: "site.tar.xz", refused: XZ },
  "GNU tar, bzip2": { run: ["tar", "-cjf", "OUT", "."], out: "site.tar.bz2", refused: BZIP2 },
  "GNU tar, zstd": { run: ["tar", "--zstd", "-cf", "OUT", "."], out: "site.tar.zst", refused: /with zstd/ },
  "busybox's tar": { run: ["busybox", "tar", "-czf", "OUT", "."] },
  ...Object.fromEntries(
    ["paxr", "pax", "ustar", "gnutar"].map((format) => [
      `bsdtar, ${format}`,
      { run: ["bsdtar", "--format", format, "-czf", "OUT", "."] },
    ]),
  ),
  "bsdtar, zip": { run: ["bsdtar", "-a", "-cf", "OUT", "."], ...ZIP },
  "bsdtar, 7z": { run: ["bsdtar", "-a", "-cf", "OUT", "."], out: "site.7z", refused: /is a 7z archive/ },
  "cpio, as tar": { run: shell("find . | cpio -o -H ustar 2>/dev/null | gzip > OUT") },
  cpio: { run: shell("find . | cpio -o -H newc 2>/dev/null | gzip > OUT"), refused: /is broken/ },
  pax: { run: shell("pax -w -x ustar . | gzip > OUT") },
  "Info-ZIP": { run: ["zip", "-qr", "OUT", "."], ...ZIP, links: "followed" },
  "Info-ZIP, keeping links": { run: ["zip", "-qry", "OUT", "."], ...ZIP },
  "Info-ZIP, encrypted": { run: ["zip", "-qr", "-P", "x", "OUT", "."], ...ZIP, refused: /is encrypted/ },
  "Info-ZIP, in parts": {
    run: ["zip", "-qr", "-s", "64k", "OUT", "."],
    ...ZIP,
    refused: /the last part of a split zip/,
  },
  "Info-ZIP, bzip2": { run: ["zip", "-qr", "-Z", "bzip2", "OUT", "."], ...ZIP, refused: METHOD },
  "7-Zip, zip": { run: ["7zz", "a", "-tzip", "OUT", "."], ...ZIP, links: "followed" },
  "7-Zip, Deflate64": { run: ["7zz", "a", "-tzip", "-mm=Deflate64", "OUT", "."], ...ZIP, refused: METHOD },
  "7-Zip, LZMA": { run: ["7zz", "a", "-tzip", "-mm=LZMA", "OUT", "."], ...ZIP, refused: METHOD },
  "7-Zip": { run: ["7zz", "a", "OUT", "."], out: "site.7z", refused: /is a 7z archive/ },
  ...Object.fromEntries(
    ["PAX_FORMAT", "GNU_FORMAT"].map((format) => [
      `Python's tarfile, ${format}`,
      { run: ["python3", "-c", PYTHON_TAR, "OUT", format] },
    ]),
  ),
  "Python's tarfile, following links": { run: ["python3", "-c", PYTHON_FOLLOWING, "OUT"], links: "followed" },
  "Python's shutil, tar.gz": { run: ["python3", "-c", PYTHON_SHUTIL, "OUT", "gztar", "tar.gz"] },
  "Python's shutil, tar": {
    run: ["python3", "-c", PYTHON_SHUTIL, "OUT", "tar", "tar"],
    out: "site.tar",
    refused: /a tar without/,
  },
  "Python's shutil, tar.xz": {
    run: ["python3", "-c", PYTHON_SHUTIL, "OUT", "xztar", "tar.xz"],
    out: "site.tar.xz",
    refused: XZ,
  },
  "Python's shutil, tar.bz2": {
    run: ["python3", "-c", PYTHON_SHUTIL, "OUT", "bztar", "tar.bz2"],
    out: "site.tar.bz2",
    refused: BZIP2,
  },
  "Python's shutil, zip": {
    run: ["python3", "-c", PYTHON_SHUTIL, "OUT", "zip", "zip"],
    ...ZIP,
    links: "left out",
  },
  "Python's zipfile": {
    run: ["python3", "-c", PYTHON_ZIP, "OUT", "ZIP_DEFLATED"],
    ...ZIP,
    links: "followed",
  },
  "Python's zipfile, stored": {
    run: ["python3", "-c", PYTHON_ZIP, "OUT", "ZIP_STORED"],
    ...ZIP,
    links: "followed",
  },
  "Python's zipfile, LZMA": {
    run: ["python3", "-c", PYTHON_ZIP, "OUT", "ZIP_LZMA"],
    ...ZIP,
    refused: METHOD,
  },
  "names with backslashes": {
    run: ["python3", "-c", BACKSLASHES, "OUT"],
    ...ZIP,
    refused: /has a backslash/,
  },
  "Perl's Archive::Tar": {
    run: [
      "perl",
      "-MArchive::Tar",
      "-MFile::Find",
      "-e",
      "my @n; find({no_chdir=>1, wanted=>sub{push @n,$_}}, '.'); Archive::Tar->create_archive('OUT', COMPRESS_GZIP, @n)",
    ],
  },
  "git archive, tar.gz": {
    run: shell(
      "git init -q -b main . && git add . && git -c user.name=x -c user.email=x@x.example commit -qm x && git archive -o OUT HEAD; rm -rf .git",
    ),
  },
  "git archive, zip": {
    run: shell(
      "git init -q -b main . && git add . && git -c user.name=x -c user.email=x@x.example commit -qm x && git archive -o OUT HEAD; rm -rf .git",
    ),
    ...ZIP,
  },
  "Go's archive/tar": { run: [GO_MAKER, "tar", "OUT"], needs: "go" },
  "Go's archive/zip": { run: [GO_MAKER, "zip", "OUT"], needs: "go", ...ZIP, links: "not packed" },
  "Java's jar": {
    run: ["jar", "--create", "--no-manifest", "--file", "OUT", "."],
    ...ZIP,
    links: "followed",
  },
  "Java's java.util.zip": { run: ["java", join(scratch, "Zip.java"), "OUT"], ...ZIP, links: "followed" },
  "npm's tar": npm("tar", "site.tar.gz", "kept"),
  "npm's tar, following links": npm("tar, following links", "site.tar.gz", "followed"),
  "tar-fs": npm("tar-fs", "site.tar.gz", "kept"),
  "archiver, tar": npm("archiver tar", "site.tar.gz", "kept"),
  "archiver, zip": npm("archiver zip", "site.zip", "kept"),
  "adm-zip": npm("adm-zip", "site.zip", "not packed"),
  fflate: npm("fflate", "site.zip", "followed"),
  jszip: npm("jszip", "site.zip", "followed"),
  yazl: npm("yazl", "site.zip", "followed"),
};

describe.each(Object.entries(MAKERS))("an archive by %s", (_name, maker) => {
  const { run, out = "site.tar.gz", refused, links = "kept", isNpm } = maker;
  const [command = "", ...args] = run;

  test.for([
    ["of files", false],
    ["of files and links", true],
  ] as const)("%s is accepted, or its remedy works", async ([, withLinks], context) => {
    const inShell = /\b(?:cpio|pax|git)\b/.exec(args.join(" "))?.[0] ?? "sh";
    const needed = maker.needs ?? (command === "sh" ? inShell : command);
    context.skip(
      needed !== process.execPath && findCommand(needed) === undefined,
      `there is no ${needed} to pack with`,
    );
    context.skip(isNpm === true && !hasPackages, "npm cannot install the packages");
    context.skip(withLinks && links === "not packed", "it does not pack links");
    const site = writeSite(scratch, withLinks);
    const beside = mkdtempSync(join(scratch, "out-"));
    let archive = join(beside, out);
    await runCommand(
      command,
      args.map((each) => each.replaceAll("OUT", archive)),
      { cwd: site },
    );
    const refusals: string[] = [];
    // a site with links may need two remedies, one after the other
    for (;;) {
      const result: unknown = await accepted(archive).catch((error: unknown) => error);
      if (!(result instanceof BundleRefusedError)) {
        const isExpected = ([path]: [string, string]): boolean =>
          links !== "left out" || !path.startsWith("stable");
        expect(result).toEqual(Object.fromEntries(Object.entries(filesOf(site)).filter(isExpected)));
        break;
      }
      refusals.push(result.message);
      expect(refusals.length).toBeLessThan(4);
      archive = await followed(result.remedy, site, beside);
    }
    const link = withLinks && /is a symbolic link/;
    const isExpected = (message: string): boolean =>
      [refused, link].some((each) => each && each.test(message));
    expect(refusals.filter((message) => !isExpected(message))).toEqual([]);
    expect(refusals.length > 0).toBe(refused !== undefined || (withLinks && links === "kept"));
  });
});
