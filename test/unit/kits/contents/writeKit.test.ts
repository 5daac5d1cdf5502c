// Whole kits without images: their contents, signatures, parts and replacement.
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { WrittenKit } from "../../../../provider/kits/contents/compareKit.ts";
import { compareKit } from "../../../../provider/kits/contents/compareKit.ts";
import { type KitRequest, writeKit } from "../../../../provider/kits/contents/writeKit.ts";
import { signerFrom } from "../../../../provider/publishing/images/signing/signer.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import { processorMs } from "../../../simulation/processorTime.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { notOnWindows, POSIX_PROGRAMS } from "../../../systems.ts";
import {
  clock,
  filesOf,
  folder,
  inFoldersOfItsOwn,
  inKit,
  kits,
  operation,
  removed,
  request,
  sha256,
  signer,
  write,
} from "./writtenKits.ts";

inFoldersOfItsOwn();

describe("a kit without images", () => {
  test("has the bundle byte for byte, the chart, its texts, and a list of all of them that sha256sum accepts", async (context) => {
    notOnWindows(context, POSIX_PROGRAMS);
    const kit = await write();
    expect(readdirSync(kits)).toEqual([MARKS_FOLDER, kit.name]);
    expect(kit.name).toMatch(/^v-1-[0-9a-f]{12}$/);
    expect(filesOf(kit)).toEqual([
      "README.md",
      "SHA256SUMS",
      "bundle.tar.gz",
      "chart/docs-1.0.0.tgz",
      "install.sh",
      "manifest.json",
      "manifest.schema.json",
      "provenance.json",
      "sbom.cdx.json",
      "values.yaml",
      "verify.sh",
    ]);
    expect(readFileSync(inKit(kit, "bundle.tar.gz"))).toEqual(readFileSync(join(folder, "given.tar.gz")));
    const listed = filesOf(kit).filter((name) => name !== "SHA256SUMS");
    const sums = readFileSync(inKit(kit, "SHA256SUMS"), "utf8");
    expect(sums).toBe(execFileSync("sha256sum", listed, { cwd: inKit(kit), encoding: "utf8" }));
    expect(kit).toMatchObject({
      sha256: sha256(Buffer.from(sums)),
      files: 11,
      size: filesOf(kit).reduce((total, name) => total + statSync(inKit(kit, name)).size, 0),
      signed: false,
    });
    expect(statSync(inKit(kit, "verify.sh")).mode & 0o777).toBe(0o755);
    expect(parse(readFileSync(inKit(kit, "values.yaml"), "utf8"))).toEqual({
      staticExport: { enabled: true, version: "v 1" },
      fetch: { sha256: request().bundle.sha256 },
      replicas: 2,
    });
  });

  test("has its provenance and its SBOM: what they name is the bundle and the chart in it", async () => {
    const kit = await write();
    const json = (name: string): object => JSON.parse(readFileSync(inKit(kit, name), "utf8")) as object;
    const bundle = sha256(readFileSync(inKit(kit, "bundle.tar.gz")));
    expect(json("provenance.json")).toMatchObject({
      subject: [{ name: "bundle.tar.gz", digest: { sha256: bundle } }],
      predicateType: "https://slsa.dev/provenance/v1",
      predicate: { buildDefinition: { externalParameters: { version: "v 1" } } },
    });
    expect(json("sbom.cdx.json")).toMatchObject({
      metadata: { component: { type: "application", version: "v 1" } },
      components: [
        { "bom-ref": "bundle", hashes: [{ content: bundle }] },
        {
          "bom-ref": "chart",
          version: "1.0.0",
          hashes: [{ content: sha256(readFileSync(inKit(kit, "chart/docs-1.0.0.tgz"))) }],
        },
      ],
    });
  });

  test("has a manifest that its schema accepts, with size and digest of its contents", async () => {
    const kit = await write();
    const json = (name: string): object => JSON.parse(readFileSync(inKit(kit, name), "utf8")) as object;
    const manifest = json("manifest.json");
    const file = (path: string): object => {
      const bytes = readFileSync(inKit(kit, path));
      return { path, size: bytes.length, sha256: sha256(bytes) };
    };
    expect(manifest).toMatchObject({
      kit: 1,
      version: "v 1",
      createdAt: kit.createdAt,
      signed: false,
      bundle: file("bundle.tar.gz"),
      chart: { ...file("chart/docs-1.0.0.tgz"), name: "docs", version: "1.0.0" },
      images: [],
      blobs: [],
      needs: { kubernetes: ">=1.25.0-0", tools: ["sh", "coreutils", "tar", "openssl", "helm"] },
    });
    const schema = json("manifest.schema.json");
    const validate = new Ajv2020({ validateFormats: false }).compile(schema);
    expect([validate(manifest), validate.errors]).toEqual([true, null]);
    expect(validate({ ...manifest, more: 1 })).toBe(false);
  });

  test.each<[string, Partial<KitRequest>]>([
    ["unsigned", {}],
    ["signed", { signer }],
  ])("of the same inputs is kept with its date while it is whole, %s", async (_, given) => {
    const first = await write(given);
    const bytesOf = (kit: WrittenKit) =>
      new Map(filesOf(kit).map((name) => [name, readFileSync(inKit(kit, name), "latin1")]));
    const before = bytesOf(first);
    clock.advance(86_400_000);
    expect(await write(given)).toEqual(first);
    expect(bytesOf(first)).toEqual(before);

    appendFileSync(inKit(first, "values.yaml"), "# of others\n");
    const mended = await write(given);
    expect(mended.name).toBe(first.name);
    expect(readdirSync(kits)).toEqual([MARKS_FOLDER, first.name]);
    const changed = [...bytesOf(mended)].filter(([name, bytes]) => before.get(name) !== bytes);
    const dated = ["SHA256SUMS", ...(given.signer ? ["SHA256SUMS.sig", "SHA256SUMS.sigstore.json"] : [])];
    expect(changed.map(([name]) => name)).toEqual([...dated, "manifest.json"]);
    const undated = (text = ""): string => text.replaceAll(/"createdAt": ".*"/g, "");
    expect(undated(bytesOf(mended).get("manifest.json"))).toBe(undated(before.get("manifest.json")));
  });

  test("whose signature somebody else changed is written again", async () => {
    const first = await write({ signer });
    writeFileSync(inKit(first, "SHA256SUMS.sig"), "of others");
    clock.advance(86_400_000);
    expect((await write({ signer })).createdAt).not.toBe(first.createdAt);
  });

  test.each<[string, Partial<KitRequest>]>([
    ["values", { values: {} }],
    ["no chart", { chart: undefined }],
    ["a signature", { signer }],
    ["parts", { partSize: 1_000 }],
  ])("with other %s has another path", async (_, given) => {
    expect((await write(given)).name).not.toBe((await write()).name);
  });

  test("with another size of parts, or another signing key, has another path", async () => {
    const other = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
    const kits = [
      await write({ partSize: 10_000 }),
      await write({ partSize: 20_000 }),
      await write({ signer }),
      await write({ signer: signerFrom("K", { environment: () => other.toString() }) }),
    ];
    expect(new Set(kits.map(({ name }) => name)).size).toBe(4);
  });

  test.each([
    ["ü", /^kit-[0-9a-f]{12}$/],
    ["v".repeat(100), /^v{60}-[0-9a-f]{12}$/],
    ["../v1", /^v1-[0-9a-f]{12}$/],
  ])("of the version %s has a name that is a file's on every system", async (version, name) => {
    const { bundle } = request();
    expect((await write({ bundle: { ...bundle, version } })).name).toMatch(name);
  });

  test("names its site and its job in the manifest, and what the chart needs of the cluster", async () => {
    const given = request();
    const bundle = { ...given.bundle, domain: "docs.example.com", jobId: "j1" };
    const yaml = 'name: docs\nversion: 1.0.0\nkubeVersion: ">=1.28.0-0"\n';
    writeFileSync(join(folder, "chart/Chart.yaml"), yaml);
    const kit = await writeKit({ ...given, bundle }, { folder: kits, owner: "urn" }, operation());
    expect(JSON.parse(readFileSync(inKit(kit, "manifest.json"), "utf8"))).toMatchObject({
      domain: "docs.example.com",
      jobId: "j1",
      needs: {
        kubernetes: ">=1.28.0-0",
        diskBytes:
          statSync(inKit(kit, "bundle.tar.gz")).size + statSync(inKit(kit, "chart/docs-1.0.0.tgz")).size,
      },
    });
    expect(JSON.parse(readFileSync(inKit(kit, "sbom.cdx.json"), "utf8"))).toMatchObject({
      metadata: { component: { name: "docs.example.com" } },
    });
    const plain = await write();
    expect(JSON.parse(readFileSync(inKit(plain, "sbom.cdx.json"), "utf8"))).toMatchObject({
      metadata: { component: { name: "site" } },
    });
    const manifest = JSON.parse(readFileSync(inKit(plain, "manifest.json"), "utf8")) as object;
    expect(Object.keys(manifest)).toEqual([
      ...["kit", "version", "createdAt", "signed", "bundle", "chart", "images", "blobs", "needs"],
    ]);
  });

  test("without a chart needs neither helm nor a script to install it", async () => {
    const kit = await write({ chart: undefined });
    expect(filesOf(kit)).not.toContain("install.sh");
    expect(readFileSync(inKit(kit, "README.md"), "utf8")).toContain("This kit contains no chart.");
    expect(JSON.parse(readFileSync(inKit(kit, "manifest.json"), "utf8"))).toMatchObject({
      needs: { tools: ["sh", "coreutils", "tar", "openssl"] },
    });
  });

  test("is reported just before it appears: what fails then leaves nothing", async () => {
    const seen: [string, string[]][] = [];
    const place = (placing: (kit: WrittenKit) => void): Promise<WrittenKit> =>
      writeKit(request(), { folder: kits, owner: "urn", placing }, operation());
    const published = (): string[] => readdirSync(kits).filter((name) => !name.startsWith("."));
    const kit = await place(({ name }) => void seen.push([name, published()]));
    expect(seen).toEqual([[kit.name, []]]);
    await removed([kit]);
    const failing = place(() => {
      throw new Error("no room for the record");
    });
    await expect(failing).rejects.toThrow("no room for the record");
    expect(readdirSync(kits)).toEqual([]);
  });
});

describe("the README of a kit", () => {
  const readmeOf = async (given: Partial<KitRequest>): Promise<string> => {
    const kit = await write(given);
    return readFileSync(inKit(kit, "README.md"), "utf8");
  };

  test("names the site, the bundle with its digest, the chart and what it needs", async () => {
    const { bundle } = request();
    const text = await readmeOf({ bundle: { ...bundle, domain: "docs.example.com" } });
    expect(text).toContain("# docs.example.com, version «v 1»");
    expect(text).toContain(`| the site | \`bundle.tar.gz\`, SHA-256 ${bundle.sha256} |`);
    expect(text).toContain("| chart for Kubernetes | `chart/docs-1.0.0.tgz`, and `values.yaml` |");
    expect(text).toContain("tar -xzOf chart/docs-1.0.0.tgz docs/values.yaml");
    expect(text).toContain("have a version >=1.25.0-0. Each node");
    expect(text).toMatch(/registry need \d+ B of disk/);
    expect(text).toContain("This kit contains no images.");
    expect(text).toContain("**This kit is not signed.**");
    expect(text).not.toMatch(/\{\{|undefined/);
    expect(await readmeOf({})).toContain("# A site, version «v 1»");
  });

  test("in parts says how many there are, and how they are joined; the joined kit has its own", async () => {
    const kit = await write({ partSize: 10_000 });
    const text = readFileSync(inKit(kit, "README.md"), "utf8");
    const parts = filesOf(kit).filter((name) => name.startsWith("kit.tar."));
    expect(text).toContain(`This is a kit in ${parts.length} parts.`);
    expect(text).toContain("## 3. Join the parts");
    const joined = Buffer.concat(parts.map((name) => readFileSync(inKit(kit, name))));
    expect(joined.includes("This folder contains everything")).toBe(true);
    expect(joined.includes("Join the parts")).toBe(false);
  });
});

describe("parts", () => {
  test("of at most the wanted size are joined with cat and tar to the same kit", async (context) => {
    notOnWindows(context, POSIX_PROGRAMS);
    const kit = await write({ signer, partSize: 10_000 });
    const names = filesOf(kit);
    const parts = names.filter((name) => name.startsWith("kit.tar."));
    expect(names).toEqual([
      "PARTS.SHA256SUMS",
      "PARTS.SHA256SUMS.sig",
      "PARTS.SHA256SUMS.sigstore.json",
      "README.md",
      ...parts,
      "verify.sh",
    ]);
    expect(parts.length).toBeGreaterThan(2);
    const sizes = parts.map((name) => statSync(inKit(kit, name)).size);
    expect(sizes.slice(0, -1).every((size) => size === 10_000)).toBe(true);
    expect(sizes.at(-1)).toBeLessThanOrEqual(10_000);
    execFileSync("sha256sum", ["-c", "--strict", "--quiet", "PARTS.SHA256SUMS"], { cwd: inKit(kit) });
    execFileSync("sh", ["-c", `cat kit.tar.* | tar -xf - -C ${folder}`], { cwd: inKit(kit) });
    const joined = join(folder, "kit");
    execFileSync("sha256sum", ["-c", "--strict", "--quiet", "SHA256SUMS"], { cwd: joined });
    expect(sha256(readFileSync(join(joined, "SHA256SUMS")))).toBe(kit.sha256);
    expect(statSync(join(joined, "verify.sh")).mode & 0o111).not.toBe(0);
    expect(existsSync(join(joined, "SHA256SUMS.sig"))).toBe(true);
    expect(await compareKit(kits, kit, operation().reporter)).toBe("same");
    rmSync(inKit(kit, "kit.tar.002"));
    expect(await compareKit(kits, kit, operation().reporter)).toBe("changed");
  });

  test("that are too many are refused", async () => {
    await expect(write({ partSize: 20 })).rejects.toThrow("more than 999 parts");
    expect(readdirSync(kits)).toEqual([]);
  });
});

describe("a written kit", () => {
  test("replaces a broken one as a whole; a link of that name is not followed", async () => {
    const kit = await write();
    rmSync(inKit(kit, "bundle.tar.gz"));
    writeFileSync(inKit(kit, "more"), "");
    await write();
    expect(existsSync(inKit(kit, "bundle.tar.gz"))).toBe(true);
    expect(filesOf(kit)).toHaveLength(12); // with the file that somebody else put there
    renameSync(inKit(kit), join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), inKit(kit));
    await write();
    expect(lstatSync(inKit(kit)).isDirectory()).toBe(true);
    expect(existsSync(join(folder, "elsewhere/README.md"))).toBe(true);
  });

  test("has the path of the same content when several runs write it at once", async () => {
    const given = request();
    const runs = Array.from({ length: 5 }, () =>
      writeKit(given, { folder: kits, owner: "urn" }, operation()),
    );
    const [first, ...others] = await Promise.all(runs);
    for (const other of others) expect(other).toEqual(first);
    expect(readdirSync(kits)).toEqual([MARKS_FOLDER, first?.name]);
    expect(filesOf(first as WrittenKit)).toHaveLength(11);
  });

  test.each([
    ["the bundle is written", /^writing /],
    ["its files are added up", /^computing/],
    ["it is cut into parts", /^splitting/],
  ])("is missing when its run is stopped while %s, and the run ends soon", async (_, line) => {
    const size = 64 * 2 ** 20;
    const { bundle, ...others } = request({ partSize: 2 ** 20 });
    writeFileSync(bundle.path, Buffer.alloc(size));
    const large = { ...bundle, size, sha256: sha256(Buffer.alloc(size)) };
    const stop = new AbortController();
    const reporter = recordingReporter();
    let stoppedMs = Infinity;
    const progress = (text: string): void => {
      if (!line.test(text)) return;
      // in the middle of what this line reports
      setImmediate(() => {
        stoppedMs = processorMs();
        stop.abort(new Error("stopped"));
      });
    };
    const run = writeKit(
      { bundle: large, ...others },
      { folder: kits, owner: "urn" },
      { ...operation(stop.signal), reporter: { ...reporter, progress } },
    );
    await expect(run).rejects.toThrow(/stopped|abort/);
    expect(processorMs() - stoppedMs).toBeLessThan(1_000);
    expect(readdirSync(kits)).toEqual([]);
  });

  test("is missing when it fails, or is stopped", async () => {
    const { bundle } = request();
    await expect(write({ bundle: { ...bundle, sha256: "0".repeat(64) } })).rejects.toMatchObject({
      message: "the bundle's file changed while it was put into the kit",
      remedy: "Run `pulumi up` again.",
    });
    expect(readdirSync(kits)).toEqual([]);
    const stop = new AbortController();
    stop.abort(new Error("stopped"));
    await expect(
      writeKit(request(), { folder: kits, owner: "urn" }, operation(stop.signal)),
    ).rejects.toThrow();
    expect(readdirSync(kits)).toEqual([]);
  });
});
