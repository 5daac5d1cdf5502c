import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import {
  filesBelow,
  KINDS,
  newKey,
  readmeOf,
  SCRIPTS,
  signSums,
  sumUp,
  writeKit,
  type KeyPair,
  type Kit,
} from "./kitFolder.ts";
import { Operator, scratchFolder, SYSTEMS, type Ended } from "./systems.ts";

/** One more blob at the end of a manifest. */
const BLOB_MORE = `"in": "this" }, { "digest": "sha256:${"0".repeat(64)}", "size": 1, "in": "this" } ],`;

const NOT_OK = (reasons: number): string => `NOT OK (${reasons}): do not use this kit.`;

interface Carried {
  readonly kit: Kit;
  readonly key: KeyPair;
  readonly operator: Operator;
  /** Checks the kit with this key, or the one that it was signed with. */
  readonly verify: (other?: KeyPair) => Promise<Ended>;
}

describe.each(SYSTEMS)("verify.sh with %s", (system) => {
  /** A kit, signed, and who checks it. */
  function carry(context: TestContext, kind: (typeof KINDS)[number] = "ecdsa-p256"): Carried {
    const folder = scratchFolder(context);
    const key = newKey(kind);
    const kit = writeKit(join(folder, "kit"), { key });
    const operator = new Operator(context, system);
    return {
      kit,
      key,
      operator,
      verify: ({ publicKey } = key) => {
        const file = join(folder, "key.pem");
        writeFileSync(file, publicKey);
        return operator.run(join(kit.folder, "verify.sh"), [file]);
      },
    };
  }

  test.for(KINDS)(
    "a kit that is whole and signed with %s is accepted, wherever it is called from",
    async (kind, context) => {
      const { kit, key, operator, verify } = carry(context, kind);
      const count = filesBelow(kit.folder).length;
      expect(await verify()).toMatchObject({
        code: 0,
        lines: [
          "Kit of version «1», made at 2026-11-22T12:00:00.000Z",
          `${count} files: all there, unchanged, nothing more.`,
          expect.stringMatching(/^OK: signed by the key of .*key\.pem\.$/),
        ],
      });
      const beside = scratchFolder(context);
      writeFileSync(join(beside, "-my key.pem"), key.publicKey);
      const relative = await operator.run("./verify.sh", ["./-my key.pem"], { cwd: kit.folder });
      expect(relative).toMatchObject({ code: 1, lines: [expect.stringContaining("no key"), NOT_OK(1)] });
      expect(
        await operator.run(join(kit.folder, "verify.sh"), ["./-my key.pem"], { cwd: beside }),
      ).toMatchObject({ code: 0 });
    },
  );

  test("a differential kit is accepted", async (context) => {
    const { kit, key, operator } = carry(context);
    const folder = scratchFolder(context);
    const next = writeKit(join(folder, "next"), { key, version: "2", since: kit });
    writeFileSync(join(folder, "key.pem"), key.publicKey);
    expect(await operator.run(join(next.folder, "verify.sh"), [join(folder, "key.pem")])).toMatchObject({
      code: 0,
    });
  });

  test("a byte that changed is found in each of the files", async (context) => {
    const { kit, verify } = carry(context);
    for (const path of filesBelow(kit.folder).filter((path) => path !== "verify.sh")) {
      const file = join(kit.folder, path);
      const before = readFileSync(file);
      const middle = before.length >> 1;
      for (const at of path.startsWith("SHA256SUMS") ? [0, middle, before.length - 1] : [middle]) {
        const changed = Buffer.from(before);
        changed[at] = (changed[at] ?? 0) ^ 1;
        writeFileSync(file, changed);
        const { code, lines } = await verify();
        expect(code, `${path} at ${at}`).toBe(1);
        const named =
          path === "SHA256SUMS" || path === "SHA256SUMS.sig"
            ? (expect.stringMatching(/^other key or changed SHA256SUMS: /) as string)
            : `changed: ${path}`;
        expect(lines, `${path} at ${at}`).toContainEqual(named);
      }
      writeFileSync(file, before);
    }
    expect(await verify()).toMatchObject({ code: 0 });
  });

  test("each of the files is missed", async (context) => {
    const { kit, verify } = carry(context);
    for (const path of filesBelow(kit.folder).filter((path) => path !== "verify.sh")) {
      const file = join(kit.folder, path);
      const before = readFileSync(file);
      rmSync(file);
      const { code, lines } = await verify();
      expect(code, path).toBe(1);
      const named = path === "SHA256SUMS.sig" ? "unsigned: SHA256SUMS.sig is missing" : `missing: ${path}`;
      expect(lines, path).toContain(named);
      writeFileSync(file, before);
    }
  });

  test.for([
    ["a file beside the others", "more.txt", "added: more.txt"],
    ["a hidden file deep inside", "images/blobs/sha256/.hidden", "added: images/blobs/sha256/.hidden"],
    ["a folder with a file", "more/x", "added: more/x"],
    ["an empty folder", "images/none/", "added: images/none/"],
    ["a list of parts", "PARTS.SHA256SUMS", "added: values.yaml"],
    ["a name with a line end", "a\nb", "refused: ./a?b "],
    ["a name that is a line of the list", "x\nREADME.md", "refused: ./x?README.md "],
    ["a name with a space", "a b", "refused: ./a?b "],
    ["a name that is an option", "-c", "refused: ./-c "],
    ["a name that a terminal obeys", "a\u001b[2Jb", "refused: ./a??2Jb "],
    ["a name of other letters", "ä", "refused: ./?? "],
  ] as const)("%s was added: it is named", async ([, name, named], context) => {
    const { kit, verify } = carry(context);
    const path = join(kit.folder, name);
    mkdirSync(name.endsWith("/") ? path : join(path, ".."), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(path, "");
    const { code, lines } = await verify();
    expect(code).toBe(1);
    expect(lines).toContainEqual(expect.stringContaining(named));
  });

  test.for([
    ["to a file of the kit", "README.md", "values.yaml"],
    ["to the same bytes outside", "values.yaml", "../values.yaml"],
    ["in the place of the list", "SHA256SUMS", "../values.yaml"],
    ["in the place of a folder", "chart", "../values.yaml"],
    ["to nothing", "more", "nowhere"],
  ] as const)("a symbolic link %s is refused", async ([, name, to], context) => {
    const { kit, verify } = carry(context);
    cpSync(join(kit.folder, "values.yaml"), join(kit.folder, "../values.yaml"));
    rmSync(join(kit.folder, name), { recursive: true, force: true });
    symlinkSync(to, join(kit.folder, name));
    expect(await verify()).toMatchObject({
      code: 1,
      lines: [
        `refused: ./${name} (a link, or something else that is neither a file nor a folder)`,
        NOT_OK(1),
      ],
    });
  });

  test("a pipe in the place of a file is refused without waiting for it", async (context) => {
    const { kit, verify } = carry(context);
    rmSync(join(kit.folder, "SHA256SUMS"));
    execFileSync("mkfifo", [join(kit.folder, "SHA256SUMS")]);
    expect((await verify()).lines[0]).toMatch(/^refused: \.\/SHA256SUMS /);
  });

  test("what cannot be read is not taken for unchanged", async (context) => {
    const { kit, verify } = carry(context);
    chmodSync(join(kit.folder, "values.yaml"), 0);
    const file = await verify();
    expect(file.code).toBe(1);
    expect(file.lines).toContain("changed: values.yaml");
    chmodSync(join(kit.folder, "chart"), 0);
    const folder = await verify();
    expect(folder.code).toBe(1);
    expect(folder.lines).toContain("unreadable: a folder of the kit");
    chmodSync(join(kit.folder, "chart"), 0o700); // so that it can be removed
  });

  test("several reasons at once all have their line", async (context) => {
    const { kit, verify } = carry(context, "ed25519");
    rmSync(join(kit.folder, "values.yaml"));
    appendFileSync(join(kit.folder, "bundle.tar.gz"), "x");
    writeFileSync(join(kit.folder, "more"), "");
    expect((await verify(newKey("ed25519"))).lines.map((line) => line.split(" (")[0])).toEqual([
      "missing: values.yaml",
      "added: more",
      "changed: bundle.tar.gz",
      "changed: manifest.json",
      expect.stringMatching(/^other key or changed SHA256SUMS: /),
      "changed: SHA256SUMS.sigstore.json",
      "NOT OK",
    ]);
  });

  test.for(KINDS)(
    "another key (%s) is told from the right one, whichever kind the right one is",
    async (kind, context) => {
      for (const own of KINDS) {
        const { verify } = carry(context, own);
        const { code, lines } = await verify(newKey(kind));
        expect(code).toBe(1);
        expect(lines[0]).toMatch(/^other key or changed SHA256SUMS: /);
      }
    },
  );

  test("the signature of an earlier kit is none of this one", async (context) => {
    const { kit, key, verify } = carry(context);
    const earlier = writeKit(join(scratchFolder(context), "kit"), { key, version: "0" });
    for (const ending of ["sig", "sigstore.json"]) {
      cpSync(join(earlier.folder, `SHA256SUMS.${ending}`), join(kit.folder, `SHA256SUMS.${ending}`));
    }
    const { code, lines } = await verify();
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^other key or changed SHA256SUMS: /);
  });

  test("a kit that somebody changed and summed up anew is not signed", async (context) => {
    const { kit, verify } = carry(context);
    writeFileSync(join(kit.folder, "values.yaml"), "image: evil\n");
    sumUp(kit.folder, "SHA256SUMS");
    const { code, lines } = await verify();
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^other key or changed SHA256SUMS: /),
      "changed: SHA256SUMS.sigstore.json",
      NOT_OK(2),
    ]);
  });

  test.for([
    ["about the digest of the bundle", /"sha256": "[0-9a-f]{8}/, '"sha256": "00000000', "bundle.tar.gz"],
    ["about the size of the bundle", /("bundle.tar.gz",\s*"size": )/, "$11", "the size of bundle.tar.gz"],
    [
      "about a blob that the kit does not have",
      /("in": "this"\s*}\s*\],)/,
      BLOB_MORE,
      `images/blobs/sha256/${"0".repeat(64)}`,
    ],
    [
      "about the size of a blob",
      /("size": )(\d+,\s*"in": "this"\s*}\s*\],)/,
      "$11$2",
      "the size of images/blobs/sha256/",
    ],
    ["by silence about a blob", /,\s*{[^{}]*"in": "this"\s*}\s*\],/, "],", "images/blobs/sha256/"],
  ] as const)(
    "a manifest that lies %s is found, though all sums and the signature are right",
    async ([, pattern, by, about], context) => {
      const { kit, key, verify } = carry(context);
      const file = join(kit.folder, "manifest.json");
      const before = readFileSync(file, "utf8");
      const after = before.replace(pattern, by);
      expect(after).not.toBe(before);
      writeFileSync(file, after);
      sumUp(kit.folder, "SHA256SUMS");
      signSums(kit.folder, "SHA256SUMS", key);
      const { code, lines } = await verify();
      expect(code).toBe(1);
      expect(lines[0]).toContain(`changed: manifest.json (it lies about ${about}`);
    },
  );

  test("a blob that has another blob's name is found, though all sums and the signature are right", async (context) => {
    const { kit, key, verify } = carry(context);
    const name = `images/blobs/sha256/${"0".repeat(64)}`;
    const [blob = ""] = filesBelow(join(kit.folder, "images/blobs/sha256"));
    renameSync(join(kit.folder, "images/blobs/sha256", blob), join(kit.folder, name));
    const manifest = join(kit.folder, "manifest.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll(blob, "0".repeat(64)));
    sumUp(kit.folder, "SHA256SUMS");
    signSums(kit.folder, "SHA256SUMS", key);
    const { code, lines } = await verify();
    expect(code).toBe(1);
    expect(lines).toContain(`changed: ${name} (its name is not its digest)`);
  });

  test.for([
    ["a path that leads out", `${"0".repeat(64)}  ../key.pem`, "missing: ../key.pem"],
    ["a path from the root", `${"0".repeat(64)}  /etc/passwd`, "missing: /etc/passwd"],
    ["standard input", `${"0".repeat(64)}  -`, "missing: -"],
    ["a line of another kind", "# all is well", "changed: SHA256SUMS (not as sha256sum writes it)"],
    ["what a terminal obeys", `${"0".repeat(64)}  a\u001b[2Jb`, "missing: a?[2Jb"],
    [
      "a name with an escape",
      `\\${"0".repeat(64)}  a\\nb`,
      "changed: SHA256SUMS (not as sha256sum writes it)",
    ],
  ] as const)(
    "a list that names %s is refused, also without a signature",
    async ([, line, named], context) => {
      const { kit, operator } = carry(context);
      appendFileSync(join(kit.folder, "SHA256SUMS"), `${line}\n`);
      const { code, lines, output } = await operator.run(join(kit.folder, "verify.sh"), ["--unsigned"]);
      expect(code).toBe(1);
      expect(lines).toContain(named);
      expect(output).not.toContain("\u001b");
    },
  );

  test("without a key the sums are checked, and it is said that nobody vouches for them", async (context) => {
    const folder = scratchFolder(context);
    const { folder: kit } = writeKit(join(folder, "kit"));
    const operator = new Operator(context, system);
    const verify = (...args: string[]): Promise<Ended> => operator.run(join(kit, "verify.sh"), args);
    const nobody = expect.stringMatching(/^BUT NOBODY VOUCHES FOR THEM/) as string;
    expect(await verify("--unsigned")).toMatchObject({ code: 0 });
    expect((await verify("--unsigned")).lines).toContainEqual(nobody);
    const bare = await verify();
    expect(bare.code).toBe(1);
    expect(bare.lines).toContainEqual(nobody);
    expect(bare.lines.at(-1)).toBe(NOT_OK(1));
    writeFileSync(join(folder, "key.pem"), newKey().publicKey);
    expect(await verify(join(folder, "key.pem"))).toMatchObject({
      code: 1,
      lines: ["unsigned: SHA256SUMS.sig is missing", NOT_OK(1)],
    });
    appendFileSync(join(kit, "values.yaml"), "x");
    expect(await verify("--unsigned")).toMatchObject({ code: 1, lines: ["changed: values.yaml", NOT_OK(1)] });
  });

  test("a signature that was taken away is missed, also by who asks for none", async (context) => {
    const { kit, operator } = carry(context);
    for (const ending of ["sig", "sigstore.json"]) rmSync(join(kit.folder, `SHA256SUMS.${ending}`));
    expect(await operator.run(join(kit.folder, "verify.sh"), ["--unsigned"])).toMatchObject({
      code: 1,
      lines: ["unsigned: SHA256SUMS.sig is missing, and the kit had one when it was made", NOT_OK(1)],
    });
  });

  test("what is no public key of these kinds is no key, and neither is one that came with the kit", async (context) => {
    const { kit, key, operator } = carry(context);
    const folder = scratchFolder(context);
    const rsa = execFileSync("openssl", ["genpkey", "-algorithm", "RSA", "-quiet"], { stdio: "pipe" });
    const p384 = execFileSync(
      "openssl",
      ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
      { stdio: "pipe" },
    );
    const texts: Record<string, string | Buffer> = {
      "private.pem": key.privateKey.export({ type: "pkcs8", format: "pem" }),
      "rsa.pem": execFileSync("openssl", ["pkey", "-pubout"], { input: rsa }),
      "p384.pem": execFileSync("openssl", ["pkey", "-pubout"], { input: p384 }),
      "text.pem": "a key",
    };
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(folder, name), text);
      const { code, lines } = await operator.run(join(kit.folder, "verify.sh"), [join(folder, name)]);
      expect([code, lines[0]], name).toEqual([
        1,
        expect.stringMatching(/^no key: openssl reads no public key/),
      ]);
    }
    expect(await operator.run(join(kit.folder, "verify.sh"), [join(folder, "none.pem")])).toMatchObject({
      code: 1,
    });
    writeFileSync(join(kit.folder, "key.pem"), key.publicKey);
    sumUp(kit.folder, "SHA256SUMS");
    signSums(kit.folder, "SHA256SUMS", key);
    const within = await operator.run(join(kit.folder, "verify.sh"), ["key.pem"], { cwd: kit.folder });
    expect(within).toMatchObject({
      code: 1,
      lines: [expect.stringContaining("came with the kit"), NOT_OK(1)],
    });
  });

  test.for(KINDS)(
    "parts signed with %s are checked as they are; one that is cut off, or missing, is named",
    async (kind, context) => {
      const { kit, key, operator } = carry(context, kind);
      const folder = join(scratchFolder(context), "parts");
      const keyFile = join(folder, "../key.pem");
      mkdirSync(folder);
      writeFileSync(keyFile, key.publicKey);
      const tar = execFileSync("tar", ["-C", join(kit.folder, ".."), "-cf", "-", "kit"]);
      const parts = [0, 1, 2].map((n) => tar.subarray((n * tar.length) / 3, ((n + 1) * tar.length) / 3));
      parts.forEach((part, n) => writeFileSync(join(folder, `kit.tar.00${n + 1}`), part));
      cpSync(join(SCRIPTS, "verify.sh"), join(folder, "verify.sh"));
      writeFileSync(join(folder, "README.md"), readmeOf("1", { key }, 3));
      sumUp(folder, "PARTS.SHA256SUMS");
      signSums(folder, "PARTS.SHA256SUMS", key);
      const verify = (): Promise<Ended> => operator.run(join(folder, "verify.sh"), [keyFile]);
      expect(await verify()).toMatchObject({
        code: 0,
        lines: [
          expect.stringContaining("8 files"),
          expect.stringContaining("OK"),
          expect.stringContaining("These are parts"),
        ],
      });
      truncateSync(join(folder, "kit.tar.002"), 512);
      expect((await verify()).lines).toEqual(["changed: kit.tar.002", NOT_OK(1)]);
      rmSync(join(folder, "kit.tar.002"));
      expect((await verify()).lines).toEqual(["missing: kit.tar.002", NOT_OK(1)]);
      writeFileSync(join(folder, "kit.tar.002"), parts[1] ?? "");
      const joined = scratchFolder(context);
      await operator.type(`cat kit.tar.* | tar -xf - -C '${joined}'`, { cwd: folder });
      expect(await operator.run(join(joined, "kit/verify.sh"), [keyFile])).toMatchObject({ code: 0 });
    },
  );
});
