// Lines on the resource's row, with stand-ins for the modules of Pulumi's host: no process, no engine.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type RowReporter, rowReporter } from "../../../../provider/adapters/session/rowReporter.ts";
import { URN } from "../../../simulation/testContext.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

/** A line as the engine gets it. */
interface Line {
  severity: number;
  message: string;
  urn: string;
  ephemeral: boolean;
}

let folder: string;
let clock: VirtualClock;
let reporterOf: (urn: string | undefined) => RowReporter;
/** The record of the modules: each created client, and each line. */
let seen: { clients: unknown[][]; lines: Line[]; refuse: boolean };

const { argv } = process;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "host-"));
  clock = new VirtualClock();
  seen = { clients: [], lines: [], refuse: false };
  (globalThis as { seen?: unknown }).seen = seen;
  vi.resetModules(); // the connection is kept for the life of a process
  const { sendLine } = await import("../../../../provider/adapters/dynamic/dynamicHost.ts");
  reporterOf = (urn) => rowReporter(sendLine, urn, clock);
});

afterEach(() => {
  process.argv = argv;
  delete (globalThis as { seen?: unknown }).seen;
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A host with the real one's parts, started as the engine starts it. */
function startHost(): void {
  write("node_modules/@grpc/grpc-js/index.js", 'exports.credentials = { createInsecure: () => "insecure" };');
  write(
    "node_modules/@pulumi/pulumi/proto/engine_grpc_pb.js",
    `exports.EngineClient = class {
      constructor(...given) { seen.clients.push(given); }
      log(request, done) {
        if (seen.refuse) throw new Error("no engine");
        seen.lines.push(request.line);
        done(new Error("the engine has gone"));
      }
    };`,
  );
  write(
    "node_modules/@pulumi/pulumi/proto/engine_pb.js",
    `exports.LogRequest = class {
      line = {};
      setSeverity(value) { this.line.severity = value; }
      setMessage(value) { this.line.message = value; }
      setUrn(value) { this.line.urn = value; }
      setEphemeral(value) { this.line.ephemeral = value; }
    };`,
  );
  process.argv = ["node", join(folder, "host.js"), "127.0.0.1:40001"];
}

test("lines stay on the resource's own row, each with its severity; the next line replaces progress", () => {
  startHost();
  const reporter = reporterOf(URN);
  reporter.debug("a detail");
  reporter.info("a line");
  reporter.warn("a warning");
  reporter.progress("running");
  reporter.close(true);
  expect(clock.pending).toBe(0);
  const staying = { urn: URN, ephemeral: false };
  expect(seen.lines).toEqual([
    { ...staying, severity: 0, message: "a detail" },
    { ...staying, severity: 1, message: "a line" },
    { ...staying, severity: 2, message: "a warning" },
    { severity: 1, message: "running", urn: URN, ephemeral: true },
    { severity: 1, message: "done in 0s", urn: URN, ephemeral: true },
  ]);
});

test("one client for all rows of the process connects to the engine, whose address is the last argument", () => {
  startHost();
  for (const urn of [URN, undefined]) {
    const reporter = reporterOf(urn);
    reporter.info("a line");
    reporter.close(true);
  }
  expect(seen.clients).toEqual([["127.0.0.1:40001", "insecure"]]);
  expect(seen.lines.map(({ urn }) => urn)).toEqual([URN, ""]); // without a URN: the stack's row
});

test("a line that cannot be sent is dropped without further effect", () => {
  startHost();
  const reporter = reporterOf(URN);
  seen.refuse = true;
  expect(() => reporter.info("lost")).not.toThrow();
  seen.refuse = false;
  reporter.info("shown");
  expect(seen.lines.map(({ message }) => message)).toEqual(["shown"]);
});

test.each([
  ["has other modules", () => write("node_modules/@grpc/grpc-js/index.js", "")],
  ["has none", () => undefined],
])("a host that %s drops the lines without further effect, and is not used again", (_what, prepare) => {
  prepare();
  process.argv = ["node", join(folder, "host.js"), "127.0.0.1:40001"];
  expect(() => reporterOf(URN).info("lost")).not.toThrow();
  startHost();
  reporterOf(URN).info("lost, too");
  expect(seen).toMatchObject({ clients: [], lines: [] });
});

test("a process without arguments is no host", () => {
  process.argv = ["node"];
  expect(() => reporterOf(URN).warn("lost")).not.toThrow();
});
