import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { filesBelow, KINDS, newKey, signSums, sumUp, writeKit } from "./kitFolder.ts";
import { carry, NOT_OK } from "./signedKit.ts";
import { type Ended, Operator, scratchFolder, SYSTEMS } from "./systems.ts";

/** One more blob at the end of a manifest. */
const BLOB_MORE = `"in": "this" }, { "digest": "sha256:${"0".repeat(64)}", "size": 1, "in": "this" } ],`;

describe.each(shortened(SYSTEMS))("verify.sh with %s", (system) => {
  test.for(KINDS)(
    "another key (%s) is distinguished from the right one of either kind",
    async (kind, context) => {
      for (const own of KINDS) {
        const { verify } = carry(context, system, own);
        const { code, lines } = await verify(newKey(kind));
        expect(code).toBe(1);
        expect(lines[0]).toMatch(/^other key or changed SHA256SUMS: /);
      }
    },
  );

  test("the signature of an earlier kit does not match this one", async (context) => {
    const { kit, key, verify } = carry(context, system);
    const earlier = writeKit(join(scratchFolder(context), "kit"), { key, version: "0" });
    for (const ending of ["sig", "sigstore.json"]) {
      cpSync(join(earlier.folder, `SHA256SUMS.${ending}`), join(kit.folder, `SHA256SUMS.${ending}`));
    }
    const { code, lines } = await verify();
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^other key or changed SHA256SUMS: /);
  });

  test("a kit that somebody changed, with new sums, counts as unsigned", async (context) => {
    const { kit, verify } = carry(context, system);
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
    "a manifest that is wrong %s is found, though all sums and the signature are right",
    async ([, pattern, by, about], context) => {
      const { kit, key, verify } = carry(context, system);
      const file = join(kit.folder, "manifest.json");
      const before = readFileSync(file, "utf8");
      const after = before.replace(pattern, by);
      expect(after).not.toBe(before);
      writeFileSync(file, after);
      sumUp(kit.folder, "SHA256SUMS");
      signSums(kit.folder, "SHA256SUMS", key);
      const { code, lines } = await verify();
      expect(code).toBe(1);
      expect(lines[0]).toContain(`changed: manifest.json (it does not match ${about}`);
    },
  );

  test("a blob with another blob's name is found, though all sums and the signature are right", async (context) => {
    const { kit, key, verify } = carry(context, system);
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

  test("without a key the sums are checked, and the output says that the origin is unverified", async (context) => {
    const folder = scratchFolder(context);
    const { folder: kit } = writeKit(join(folder, "kit"));
    const operator = new Operator(context, system);
    const verify = (...args: string[]): Promise<Ended> => operator.run(join(kit, "verify.sh"), args);
    const nobody = expect.stringMatching(/^NOT SIGNED/) as string;
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

  test("a removed signature is reported, also without a key", async (context) => {
    const { kit, operator } = carry(context, system);
    for (const ending of ["sig", "sigstore.json"]) rmSync(join(kit.folder, `SHA256SUMS.${ending}`));
    expect(await operator.run(join(kit.folder, "verify.sh"), ["--unsigned"])).toMatchObject({
      code: 1,
      lines: ["unsigned: SHA256SUMS.sig is missing, although the kit was signed when it was made", NOT_OK(1)],
    });
  });

  test("anything but a public key of these kinds is refused, and so is a key in the kit", async (context) => {
    const { kit, key, operator } = carry(context, system);
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
      expect([code, lines[0]], name).toEqual([1, expect.stringMatching(/contains no public key/)]);
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
      lines: [expect.stringContaining("is in the kit, so it proves nothing"), NOT_OK(1)],
    });
  });
});
