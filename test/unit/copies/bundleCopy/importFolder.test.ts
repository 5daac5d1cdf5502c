// Imports of copies in a folder: archives and sites.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import { expectSame, exported, importTest, QUERY, V1 } from "./importedCopy.ts";

const { tested, context, fileOf, sha256Of, packed, copied, imported } = importTest();

describe("an archive in a folder", () => {
  test("is its own source, and no request is sent", async () => {
    const destination = { folder: join(tested.folder, "copies") };
    const made = await copied(destination, { source: V1 });
    const { program, state } = await imported(made.outputs.uri);
    const version = sha256Of("v1").slice(0, 12);
    expect(program).toEqual({ source: { file: made.outputs.uri, version }, destination });
    expect(state.outputs).toMatchObject({ version, sha256: sha256Of("v1"), pages: 2, files: 2 });
    expect(state.outputs).not.toHaveProperty("jobId");
    expect(tested.calls).toEqual([]);
    expect(existsSync(join(tested.folder, "home/docs-hosting/scratch"))).toBe(false);
    // the next version is made beside it, and keep counts it
    packed("v2", {});
    const next = { ...program, source: { file: fileOf("v2"), version: "v2" } };
    const { inputs } = bundleCopy.check(next, context().configuration);
    const { bookkeeping } = await bundleCopy.update(context(), state, inputs);
    expect(bookkeeping.copies).toHaveLength(2);
    expect(readdirSync(destination.folder).filter((name) => name !== MARKS_FOLDER)).toHaveLength(2);
  });

  test("has the export as its source if the id names it", async () => {
    const made = await copied({ folder: join(tested.folder, "copies") }, { source: V1 });
    const { program, state } = await imported(`${made.outputs.uri}${QUERY}`);
    expect(program["source"]).toEqual(V1);
    expectSame(state, made);
    expect(tested.calls).toEqual([]);
  });

  test.each<[string, object]>([
    ["version=v9", { version: "v9" }],
    [
      "domain=docs.example.com",
      { version: expect.stringMatching(/^[0-9a-f]{12}$/) as string, domain: "docs.example.com" },
    ],
  ])("is its own source with ?%s: only a domain and a job are an export", async (query, source) => {
    const made = await copied({ folder: join(tested.folder, "copies") }, { source: V1 });
    const { program } = await imported(`${made.outputs.uri}?${query}`);
    expect(program["source"]).toEqual({ file: made.outputs.uri, ...source });
  });

  test("has the file as its source that the id names, with its domain", async () => {
    const made = await copied({ folder: join(tested.folder, "copies") }, { source: V1 });
    const query = `file=${encodeURIComponent(fileOf("v1"))}&version=v9&domain=docs.example.com`;
    const { program } = await imported(`${made.outputs.uri}?${query}`);
    expect(program["source"]).toEqual({ file: fileOf("v1"), version: "v9", domain: "docs.example.com" });
  });

  test("has no version of its own if that is the job", async () => {
    const made = await copied({ folder: join(tested.folder, "copies") }, { source: exported });
    const { program } = await imported(`${made.outputs.uri}?domain=docs.example.com&jobId=7f3a&version=7f3a`);
    expect(program["source"]).toEqual(exported);
  });

  test("of another digest, no bundle, or no file is refused", async () => {
    const copies = join(tested.folder, "copies");
    mkdirSync(copies);
    const put = (content: string): string => {
      const path = join(copies, `${createHash("sha256").update(content).digest("hex")}.tar.gz`);
      writeFileSync(path, content);
      return path;
    };
    const page = put("<html>login</html>");
    await expect(imported(page)).rejects.toThrow(
      /^.*\.tar\.gz: the bundle is refused: it is a web page.* instead of an archive\. Nothing was imported/,
    );
    writeFileSync(page, "other");
    await expect(imported(page)).rejects.toThrow("is not the archive that its name says: its SHA-256 is");
    rmSync(page);
    await expect(imported(page)).rejects.toThrow(`there is no file ${page}. Nothing was imported`);
  });
});

describe("a site in a folder", () => {
  const made = (more: object = {}): Promise<BundleCopyState> =>
    copied({ folder: join(tested.folder, "copies"), layout: "site" }, { source: V1, ...more });

  test("is compared with the bundle of its source, file by file", async () => {
    const before = await made();
    const { program, state } = await imported(`${before.outputs.uri}${QUERY}`);
    expect(program).toEqual({
      source: V1,
      destination: { folder: join(tested.folder, "copies"), layout: "site" },
    });
    expectSame(state, before);
    expect(tested.calls.filter((call) => call.startsWith("POST"))).toEqual([
      expect.stringContaining("/7f3a/bundle"),
    ]);
    expect(readdirSync(join(tested.folder, "home/docs-hosting/downloads"))).toEqual([]);
  });

  test("without the files that only start it on a reader's own computer is recognised", async () => {
    packed("v1", { "serve.js": "serve()", "Start.command": "node serve.js", "Start.bat": "node serve.js" });
    const before = await made();
    expect(existsSync(join(before.outputs.sitePath ?? "", "serve.js"))).toBe(false);
    expectSame((await imported(`${before.outputs.uri}${QUERY}`)).state, before);
  });

  test("that an earlier version of this package made with metadata and version control is recognised", async () => {
    packed("v1", { "Thumbs.db": "x", ".git/config": "x" });
    const { outputs } = await made();
    const folder = join(tested.folder, "copies", outputs.sha256);
    const list = JSON.parse(readFileSync(`${folder}.json`, "utf8")) as Record<string, string>;
    mkdirSync(join(folder, ".git"));
    for (const path of ["Thumbs.db", ".git/config"]) {
      expect(list).not.toHaveProperty([path]);
      writeFileSync(join(folder, path), "x");
      list[path] = createHash("sha256").update("x").digest("hex");
    }
    writeFileSync(`${folder}.json`, JSON.stringify(list));
    const { state } = await imported(`${outputs.uri}${QUERY}`);
    expect(state.outputs.uri).toBe(outputs.uri);
  });

  test("with a search is recognised; options are named by the id", async () => {
    const all = await made({ offlineSearch: true });
    const { program, state } = await imported(`${all.outputs.uri}${QUERY}`);
    expect(program["offlineSearch"]).toBe(true);
    expectSame(state, all);
    const offlineSearch = { button: false };
    const some = await made({ offlineSearch, takeOver: true });
    await expect(imported(`${some.outputs.uri}${QUERY}`)).rejects.toThrow(
      "add them: ?offlineSearch={…}&llmsTxt={…}&fetchExternal=true",
    );
    const given = `${QUERY}&offlineSearch=${encodeURIComponent(JSON.stringify(offlineSearch))}`;
    const again = await imported(`${some.outputs.uri}${given}`);
    expect(again.program["offlineSearch"]).toEqual(offlineSearch);
    const { takeOver, ...outputs } = some.outputs;
    expect(takeOver).toBe(true);
    expectSame(again.state, { ...some, outputs });
  });

  test("needs its source: a file, or domain and job", async () => {
    const { uri } = (await made()).outputs;
    await expect(imported(uri)).rejects.toThrow(
      `${uri}: the copy does not record the domain and the jobId of its source. Nothing was imported. Add the source to the id: ${uri}?domain=docs.example.com&jobId=7f3a&version=v1`,
    );
    await expect(imported(`${uri}?domain=docs.example.com`)).rejects.toThrow(
      "the copy does not record the jobId of its source",
    );
    await expect(imported(`${uri}?jobId=7f3a`)).rejects.toThrow(
      "the copy does not record the domain of its source",
    );
    await expect(imported(`${uri}?file=${fileOf("v1")}`)).rejects.toThrow(
      "the copy does not record the version of its source",
    );
    const { program } = await imported(`${uri}?file=${encodeURIComponent(fileOf("v1"))}&version=v1`);
    expect(program["source"]).toEqual({ file: fileOf("v1"), version: "v1" });
    await expect(imported(`${uri}?domain=docs.example.com&jobId=nope`)).rejects.toThrow(
      "Nothing was imported",
    );
  });

  test("made from another bundle is refused with both digests' meaning", async () => {
    const { uri } = (await made()).outputs;
    packed("v2", {});
    await expect(imported(`${uri}?file=${fileOf("v2")}&version=v2`)).rejects.toThrow(
      `the bundle of the file ${fileOf("v2")} has the SHA-256 ${sha256Of("v2")}, and the copy has other content`,
    );
  });

  test("whose list was exchanged together with a file is refused: the bundle has other files", async () => {
    const { uri } = (await made()).outputs;
    writeFileSync(join(uri, "index.html"), "<title>Mine</title>");
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("are not those of its list");
    const list = JSON.parse(readFileSync(`${uri}.json`, "utf8")) as object;
    const sha256 = createHash("sha256").update("<title>Mine</title>").digest("hex");
    writeFileSync(`${uri}.json`, JSON.stringify({ ...list, "index.html": sha256 }));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("and the copy has other content");
  });

  test("with a file more than its bundle is refused, even if its list has the file", async () => {
    const { uri } = (await made()).outputs;
    writeFileSync(join(uri, "mine.html"), "mine");
    const list = JSON.parse(readFileSync(`${uri}.json`, "utf8")) as object;
    const sha256 = createHash("sha256").update("mine").digest("hex");
    writeFileSync(`${uri}.json`, JSON.stringify({ ...list, "mine.html": sha256 }));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("and the copy has other content");
  });

  test("that is not served, or not there, or without its list is refused", async () => {
    const { uri } = (await made()).outputs;
    rmSync(join(tested.folder, "copies/current"));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("current leads nowhere, not to this copy");
    symlinkSync("0".repeat(64), join(tested.folder, "copies/current"));
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow(`leads to ${"0".repeat(64)}, not to this copy`);
    rmSync(`${uri}.json`);
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow("has no list of its files beside it");
    rmSync(uri, { recursive: true });
    await expect(imported(`${uri}${QUERY}`)).rejects.toThrow(`there is no folder ${uri}`);
  });
});
