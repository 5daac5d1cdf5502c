import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { downloadBundle } from "../../examples/start/bundle.ts";

const MAIN = join(import.meta.dirname, "../../examples/start/main.ts");

describe("the download of a bundle", () => {
  test.each([
    [
      "breaks off",
      { "content-length": "1000" },
      gzipSync("half"),
      "the download of the bundle broke off (terminated",
    ],
  ])("that %s is an error with a sentence, and leaves no file", async (_how, headers, bytes, message) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, headers);
      response.write(bytes, () => ("content-length" in headers ? response.destroy() : response.end()));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const folder = await mkdtemp(join(tmpdir(), "start-"));
    onTestFinished(async () => {
      server.close();
      await rm(folder, { recursive: true });
    });
    const { port } = server.address() as AddressInfo;
    const fetched = downloadBundle(
      `http://127.0.0.1:${port}/bundle?signature=secret`,
      join(folder, "site.tar.gz"),
    );
    const error = await fetched.then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message.slice(0, message.length)).toBe(message);
    expect(error?.message).not.toMatch(/secret|\n/);
    expect((await readdir(folder)).filter((name) => name.endsWith(".gz"))).toEqual([]);
  });
});

describe("npm start", () => {
  test.each([
    ["an engine that there is not", [], { ENGINE: "none" }, 'ENGINE is "none"; it can be "cli" or "local"'],
    ["an option that there is not", ["--onec"], {}, "Unknown option '--onec'"],
  ])("answers %s with one sentence", async (_what, args, env, message) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let errors = "";
    child.stderr.on("data", (data: Buffer) => (errors += String(data)));
    const [code] = (await once(child, "close")) as [number];
    expect({ code, errors }).toEqual({ code: 1, errors: `npm start: ${message}\n` });
  });
});
