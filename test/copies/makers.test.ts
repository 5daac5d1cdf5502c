// The archives of many makers: each is accepted, or is refused with a remedy whose command then makes an archive that is.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BundleRefusedError } from "../../provider/base/runtime/messages/errors.ts";
import { findCommand, runCommand } from "../programs/commands.ts";
import { accepted, filesOf, followed, writeSite } from "./packedSite.ts";

/** Packages of npm that make archives. */
const NPM = ["adm-zip@0.6.1", "archiver@8.0.0", "fflate@0.8.3", "jszip@3.10.2", "tar-fs@3.1.3", "yazl@3.3.1"];

const scratch = mkdtempSync(join(tmpdir(), "makers-"));
let hasPackages = false;
const GO_MAKER = join(scratch, "go-maker");

beforeAll(async () => {
  writeFileSync(join(scratch, "package.json"), "{}");
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const install = ["install", "--no-save", ...quiet, ...NPM, "tar@7"];
  hasPackages = await runCommand("npm", install, { cwd: scratch }).then(
    () => true,
    () => false,
  );
  writeFileSync(join(scratch, "makers.mjs"), NPM_MAKERS);
  writeFileSync(join(scratch, "makers.go"), GO_MAKERS);
  if (findCommand("go") !== undefined) {
    await runCommand("go", ["build", "-o", GO_MAKER, join(scratch, "makers.go")], {
      env: { ...process.env, GO111MODULE: "off" },
    });
  }
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
  /** The archive's name. @default site.tar.gz */
  readonly out?: string;
  /** Why every archive of this maker is refused. */
  readonly refused?: RegExp;
  /** What becomes of symbolic links: `kept` ones are refused; a maker may pack no folder with links. @default "kept" */
  readonly links?: "kept" | "followed" | "left out" | "not packed";
  /** A command that the test needs. @default that of the maker */
  readonly needs?: string;
  readonly isNpm?: true;
}

const shell = (script: string): string[] => ["sh", "-c", script];
const npm = (name: string, more: Maker = {}): [string, string[], Maker] => [
  `${name}, of npm`,
  [process.execPath, join(scratch, "makers.mjs"), name, "OUT"],
  { ...more, isNpm: true },
];
const ZIP = { out: "site.zip" };
const FOLLOWING = { ...ZIP, links: "followed" } as const;
const METHOD = { ...ZIP, refused: /is compressed by method/ };
const XZ = { out: "site.tar.xz", refused: /is compressed with xz/ };
const BZIP2 = { out: "site.tar.bz2", refused: /is compressed with bzip2/ };
const SEVEN_ZIP = { out: "site.7z", refused: /is a 7z archive/ };
const python = (script: string, ...args: string[]): string[] => ["python3", "-c", script, "OUT", ...args];
const tar = (...args: string[]): string[] => ["tar", ...args, "OUT", "."];
const GIT = shell(
  "git init -q -b main . && git add . && git -c user.name=x -c user.email=x@x.example commit -qm x && git archive -o OUT HEAD; rm -rf .git",
);

/**
 * The name of a maker, the command, which the test needs, with its arguments, and what differs from a `.tar.gz` that is accepted.
 * The command runs in the site's folder; `OUT` is the archive.
 */
const MAKERS: readonly [string, string[], Maker?][] = [
  ...["gnu", "oldgnu", "pax", "posix", "ustar"].map((each): [string, string[]] => [
    `GNU tar, ${each}`,
    tar(`--format=${each}`, "-czf"),
  ]),
  ["GNU tar, following links", tar("-chzf"), { links: "followed" }],
  ["GNU tar, names without a folder", shell("tar -czf OUT *")],
  ["GNU tar, its folder", shell("tar -C .. -czf OUT $(basename $PWD)")],
  [
    "GNU tar, sparse",
    shell("truncate -s 1M hole.bin && tar -S -czf OUT . && rm hole.bin"),
    { refused: /sparse/ },
  ],
  ["GNU tar, a label", tar("-V", "docs", "-czf"), { refused: /entry of type «V»/ }],
  [
    "GNU tar, increments",
    shell("tar -g $(dirname OUT)/snapshot -czf OUT ."),
    { refused: /entry of type «D»/ },
  ],
  ["GNU tar, absolute names", shell('tar -P -czf OUT "$PWD"'), { refused: /has an absolute path/ }],
  [
    "GNU tar, appended",
    shell("tar -cf x.tar . && tar -rf x.tar ./index.html && gzip -c x.tar > OUT; rm x.tar"),
    { refused: /occurs twice/ },
  ],
  [
    "GNU tar, joined",
    shell("{ tar -cz ./v1.0; tar -cz ./index.html; } > OUT"),
    { refused: /continues after its end/ },
  ],
  [
    "GNU tar, deeper",
    shell('b=$(dirname OUT); cp -a . "$b/html" && touch "$b/a" && tar -C "$b" -czf OUT html a'),
    { refused: /no index\.html, .* only «html\/index\.html»/ },
  ],
  ["GNU tar, not compressed", tar("-cf"), { out: "site.tar", refused: /a tar without compression/ }],
  ["GNU tar, xz", tar("-cJf"), XZ],
  ["GNU tar, bzip2", tar("-cjf"), BZIP2],
  ["GNU tar, zstd", tar("--zstd", "-cf"), { out: "site.tar.zst", refused: /with zstd/ }],
  ["busybox's tar", ["busybox", ...tar("-czf")]],
  ...["paxr", "pax", "ustar", "gnutar"].map((each): [string, string[]] => [
    `bsdtar, ${each}`,
    ["bsdtar", "--format", each, "-czf", "OUT", "."],
  ]),
  ["bsdtar, zip", ["bsdtar", "-a", "-cf", "OUT", "."], ZIP],
  ["bsdtar, 7z", ["bsdtar", "-a", "-cf", "OUT", "."], SEVEN_ZIP],
  ["cpio, as tar", shell("find . | cpio -o -H ustar 2>/dev/null | gzip > OUT")],
  ["cpio", shell("find . | cpio -o -H newc 2>/dev/null | gzip > OUT"), { refused: /is broken/ }],
  ["pax", shell("pax -w -x ustar . | gzip > OUT")],
  ["Info-ZIP", ["zip", "-qr", "OUT", "."], FOLLOWING],
  ["Info-ZIP, keeping links", ["zip", "-qry", "OUT", "."], ZIP],
  ["Info-ZIP, encrypted", ["zip", "-qr", "-P", "x", "OUT", "."], { ...ZIP, refused: /is encrypted/ }],
  [
    "Info-ZIP, in parts",
    ["zip", "-qr", "-s", "64k", "OUT", "."],
    { ...ZIP, refused: /the last part of a split zip/ },
  ],
  ["Info-ZIP, bzip2", ["zip", "-qr", "-Z", "bzip2", "OUT", "."], METHOD],
  ["7-Zip, zip", ["7zz", "a", "-tzip", "OUT", "."], FOLLOWING],
  ["7-Zip, Deflate64", ["7zz", "a", "-tzip", "-mm=Deflate64", "OUT", "."], METHOD],
  ["7-Zip, LZMA", ["7zz", "a", "-tzip", "-mm=LZMA", "OUT", "."], METHOD],
  ["7-Zip", ["7zz", "a", "OUT", "."], SEVEN_ZIP],
  ["Python's tarfile, PAX_FORMAT", python(PYTHON_TAR, "PAX_FORMAT")],
  ["Python's tarfile, GNU_FORMAT", python(PYTHON_TAR, "GNU_FORMAT")],
  ["Python's tarfile, following links", python(PYTHON_FOLLOWING), { links: "followed" }],
  ["Python's shutil, tar.gz", python(PYTHON_SHUTIL, "gztar", "tar.gz")],
  [
    "Python's shutil, tar",
    python(PYTHON_SHUTIL, "tar", "tar"),
    { out: "site.tar", refused: /a tar without/ },
  ],
  ["Python's shutil, tar.xz", python(PYTHON_SHUTIL, "xztar", "tar.xz"), XZ],
  ["Python's shutil, tar.bz2", python(PYTHON_SHUTIL, "bztar", "tar.bz2"), BZIP2],
  ["Python's shutil, zip", python(PYTHON_SHUTIL, "zip", "zip"), { ...ZIP, links: "left out" }],
  ["Python's zipfile", python(PYTHON_ZIP, "ZIP_DEFLATED"), FOLLOWING],
  ["Python's zipfile, stored", python(PYTHON_ZIP, "ZIP_STORED"), FOLLOWING],
  ["Python's zipfile, LZMA", python(PYTHON_ZIP, "ZIP_LZMA"), { ...FOLLOWING, ...METHOD }],
  ["names with backslashes", python(BACKSLASHES), { ...ZIP, refused: /has a backslash/ }],
  [
    "Perl's Archive::Tar",
    [
      ...["perl", "-MArchive::Tar", "-MFile::Find", "-e"],
      "my @n; find({no_chdir=>1, wanted=>sub{push @n,$_}}, '.'); Archive::Tar->create_archive('OUT', COMPRESS_GZIP, @n)",
    ],
  ],
  ["git archive, tar.gz", GIT],
  ["git archive, zip", GIT, ZIP],
  ["Go's archive/tar", [GO_MAKER, "tar", "OUT"], { needs: "go" }],
  ["Go's archive/zip", [GO_MAKER, "zip", "OUT"], { ...ZIP, needs: "go", links: "not packed" }],
  ["Java's jar", ["jar", "--create", "--no-manifest", "--file", "OUT", "."], FOLLOWING],
  ["Java's java.util.zip", ["java", join(scratch, "Zip.java"), "OUT"], FOLLOWING],
  npm("tar"),
  npm("tar, following links", { links: "followed" }),
  npm("tar-fs"),
  npm("archiver tar"),
  npm("archiver zip", ZIP),
  npm("adm-zip", { ...ZIP, links: "not packed" }),
  ...["fflate", "jszip", "yazl"].map((each) => npm(each, FOLLOWING)),
];

describe.each(MAKERS)("an archive by %s", (_name, [command = "", ...args], maker = {}) => {
  const { out = "site.tar.gz", refused, links = "kept", isNpm } = maker;

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
