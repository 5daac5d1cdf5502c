import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { filledIn, type TextValues } from "../../provider/kits/contents/filledIn.ts";
import { shortened } from "../suites.ts";
import {
  digestOfFile,
  type KeyPair,
  KINDS,
  newKey,
  readmeOf,
  SCRIPTS,
  signSums,
  sumUp,
  writeKit,
} from "./kitFolder.ts";
import { type Ended, Operator, scratchFolder, SYSTEMS } from "./systems.ts";

const TEMPLATE = readFileSync(join(SCRIPTS, "README.template.md"), "utf8");

/** The commands in it, by block. */
const blocksOf = (readme: string): string[] =>
  [...readme.matchAll(/```sh\n(.*?)\n```/gs)].map(([, block = ""]) => block);

describe.each(shortened(SYSTEMS))("the commands in a kit's README.md, with %s", (system) => {
  /** A kit, and a function that runs the first blocks of its README in one shell. */
  function carry(
    context: TestContext,
    key?: KeyPair,
  ): { folder: string; type: (blocks: number) => Promise<Ended> } {
    const scratch = scratchFolder(context);
    const { folder } = writeKit(join(scratch, "kit"), { key });
    const keyFile = join(scratch, "key.pem");
    if (key) writeFileSync(keyFile, key.publicKey);
    const operator = new Operator(context, system);
    const lines = blocksOf(readFileSync(join(folder, "README.md"), "utf8"));
    const type = (blocks: number): Promise<Ended> => {
      const typed = lines.slice(0, blocks).join(" && ");
      return operator.type(typed.replace("/path/to/public-key.pem", keyFile), { cwd: folder });
    };
    return { folder, type };
  }

  test.for(KINDS)("a kit signed with %s prints the output in the README", async (kind, context) => {
    const { folder, type } = carry(context, newKey(kind));
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const [, printed = ""] = /It prints\n\n```\n(.*?)\n```/s.exec(readme) ?? [];
    const { code, lines } = await type(3);
    expect(code).toBe(0);
    expect(lines.slice(0, 2)).toEqual(printed.split("\n"));
    expect(lines.at(-1)).toMatch(/^OK: signed by the key of /);
  });

  test("with an ECDSA key, an openssl before 3.0 can check it, too", async (context) => {
    const key = newKey();
    const { folder } = carry(context, key);
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const [, older = ""] = /`(openssl dgst [^`]*)`/.exec(readme) ?? [];
    const keyFile = join(folder, "../key.pem");
    const typed = `KEY='${keyFile}' && ${older} && openssl pkey -pubin -in "$KEY" -outform DER | sha256sum`;
    const { lines } = await new Operator(context, system).type(typed, { cwd: folder });
    expect(lines).toEqual(["Verified OK", expect.stringMatching(/^[0-9a-f]{64} {2}-$/)]);
    expect(readme).toContain(`SHA-256 ${lines[1]?.slice(0, 64) ?? ""}\n`);
  });

  test("a changed verify.sh is detected before it runs, also with new sums", async (context) => {
    const { folder, type } = carry(context, newKey());
    appendFileSync(join(folder, "verify.sh"), "exit 0\n");
    const changed = await type(3);
    expect(changed.code).not.toBe(0);
    expect(changed.output).toContain("verify.sh: FAILED");
    expect(changed.output).not.toContain("OK");
    sumUp(folder, "SHA256SUMS");
    const summed = await type(3);
    expect(summed.code).not.toBe(0);
    expect(summed.output).not.toContain("OK");
    signSums(folder, "SHA256SUMS", newKey());
    const signed = await type(3);
    expect(signed.code).not.toBe(0);
    expect(signed.output).not.toContain("OK");
  });

  test("a kit without a signature says so, and prints the digest to compare", async (context) => {
    const { folder, type } = carry(context);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain("**This kit is not signed.**");
    const { code, lines } = await type(2);
    expect(code).toBe(0);
    expect(lines.slice(0, 2)).toEqual([
      `${digestOfFile(join(folder, "SHA256SUMS"))}  SHA256SUMS`,
      "verify.sh: OK",
    ]);
    expect(lines.at(-1)).toMatch(/^NOT SIGNED/);
  });
});

test("there are ten steps, numbered in order, with or without images", () => {
  const steps = Array.from({ length: 10 }, (_, index) => `## ${index + 1}.`);
  const headings = (text: string): string[] => text.match(/^## \d+\./gm) ?? [];
  expect(headings(readmeOf("1", {}))).toEqual(steps);
  expect(headings(filledIn(TEMPLATE, { ...ALL, images: false, parts: false }))).toEqual(steps);
});

test("with any contents of a kit, the text has no placeholder left, and its code blocks are complete", () => {
  const names = ["signed", "images", "chart", "since", "parts", "domain"] as const;
  for (let kit = 0; kit < 1 << names.length; kit++) {
    const without = names.filter((_, bit) => (kit & (1 << bit)) === 0);
    const text = filledIn(TEMPLATE, {
      ...ALL,
      ...Object.fromEntries(without.map((name) => [name, undefined])),
    });
    expect(text).not.toMatch(/\{\{|undefined/);
    expect((text.match(/^```/gm) ?? []).length % 2).toBe(0);
    expect(text).toContain("\n## 1. ");
  }
});

test("the first command is also in a document outside the kit", () => {
  const [, line = ""] = blocksOf(readmeOf("1", { key: newKey() }));
  expect(line).toContain("verify");
  expect(readFileSync(join(import.meta.dirname, "../../docs/reference/air-gap-kit.md"), "utf8")).toContain(
    `\n${line}\n`,
  );
});

test("parts are checked by their own list, and joined", () => {
  const text = readmeOf("1", { key: newKey() }, 3);
  expect(text).toContain("a kit in 3 parts");
  const [, check = "", verify, join] = blocksOf(text);
  expect(check.match(/\S+SUMS\S*/g)).toEqual([
    "PARTS.SHA256SUMS",
    "PARTS.SHA256SUMS.sig",
    "PARTS.SHA256SUMS",
  ]);
  expect([verify, join]).toEqual([
    'sh verify.sh "$KEY"',
    "cat kit.tar.* | tar -xf - -C /where/there/is/room",
  ]);
});

test("the scripts print the output that the README shows", () => {
  const scripts = ["verify.sh", "load.sh", "install.sh"].map((name) =>
    readFileSync(join(SCRIPTS, name), "utf8"),
  );
  const quoted = [
    ...["OK: signed by the key of", "NOT SIGNED", "NOT OK", "loaded:", "there already:"],
    ...["OK: all images are in", "serves the site of this kit."],
  ];
  for (const text of quoted) {
    expect(TEMPLATE.replaceAll("\n", " ")).toContain(text);
    expect(scripts.join("")).toContain(text);
  }
});

/** Of a kit with everything. */
const ALL: TextValues = {
  version: "1",
  domain: "docs.example.com",
  signed: true,
  keyId: "0123",
  bundle: "bundle.tar.gz",
  bundleSha256: "4567",
  chart: "chart/docs-1.tgz",
  chartName: "docs",
  chartVersion: "1",
  images: true,
  imageList: ["site:1"],
  platforms: "linux/amd64",
  siteImage: "site:1",
  since: "0",
  parts: true,
  partCount: "3",
  size: "1.0 MiB",
  kubernetes: ">=1.25.0-0",
};
