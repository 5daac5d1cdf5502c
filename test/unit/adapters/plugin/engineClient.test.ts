// The lines that the plugin sends to an engine, over gRPC.
import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, test, type TestContext, vi } from "vitest";
import { Engine } from "../../../../provider/adapters/plugin/engine.ts";
import { pluginProcess } from "../../../../provider/adapters/plugin/pluginProcess.ts";
import type { ServedEngine as Served } from "../../../../provider/adapters/plugin/pluginService.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { PATIENTLY } from "../../../simulation/patience.ts";

interface ServedEngine {
  readonly address: string;
  readonly lines: LogRequest.AsObject[];
  close(): void;
}

async function serveEngine(context: TestContext): Promise<ServedEngine> {
  const lines: LogRequest.AsObject[] = [];
  const server = new Server();
  server.addService(EngineService, {
    log: ({ request }: ServerUnaryCall<LogRequest, Empty>, callback: sendUnaryData<Empty>) => {
      lines.push(request.toObject());
      callback(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const close = (): void => server.forceShutdown();
  context.onTestFinished(close);
  return { address: `127.0.0.1:${port}`, lines, close };
}

const waitFor = (check: () => void): Promise<void> => vi.waitFor(check, PATIENTLY);

const LINE = { severity: 1, message: "a line", urn: "urn:a", ephemeral: false } as const;

test("a line has the engine's severity, its row, and whether it is only progress", async (context) => {
  const served = await serveEngine(context);
  const engine = new Engine();
  engine.connect(served.address);
  for (const severity of [0, 1, 2] as const) engine.send({ ...LINE, severity, ephemeral: severity === 1 });
  await waitFor(() => expect(served.lines).toHaveLength(3));
  const { DEBUG, INFO, WARNING } = LogSeverity;
  expect(served.lines).toEqual(
    [DEBUG, INFO, WARNING].map((severity): unknown =>
      expect.objectContaining({ severity, message: "a line", urn: "urn:a", ephemeral: severity === INFO }),
    ),
  );
});

test("lines without an engine are lost; an engine that attaches gets those that follow, and an empty address changes nothing", async (context) => {
  const [first, second] = [await serveEngine(context), await serveEngine(context)];
  const engine = new Engine();
  engine.connect("");
  engine.send(LINE);
  engine.connect(first.address);
  engine.send({ ...LINE, message: "to the first" });
  await waitFor(() => expect(first.lines).toHaveLength(1));
  engine.connect("");
  engine.connect(first.address);
  engine.send({ ...LINE, message: "again" });
  await waitFor(() => expect(first.lines.map(({ message }) => message)).toEqual(["to the first", "again"]));
  engine.connect(second.address);
  engine.send({ ...LINE, message: "to the second" });
  await waitFor(() => expect(second.lines.map(({ message }) => message)).toEqual(["to the second"]));
  expect(first.lines).toHaveLength(2);
});

describe("an operation of the plugin's process", () => {
  /** Starts an operation that runs until it is stopped. */
  function started(context: TestContext, { session }: Served, served: ServedEngine) {
    const { argv } = process;
    process.argv = ["node", "plugin", served.address];
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    context.onTestFinished(() => {
      process.argv = argv;
      exit.mockRestore();
    });
    const ended = session.operation("read", { urn: "urn:b" }, new Secrets(), async (operation) => {
      operation.reporter.warn("in the plugin");
      await new Promise((_resolve, reject) => {
        const { signal } = operation;
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    });
    ended.catch(() => undefined);
    return { ended, exit };
  }
  const sent = { severity: LogSeverity.WARNING, message: "in the plugin", urn: "urn:b", ephemeral: false };

  test("reports to its engine, and ends at Cancel", async (context) => {
    const served = await serveEngine(context);
    const engine = pluginProcess(served.address).newEngine();
    const { ended, exit } = started(context, engine, served);
    await waitFor(() => expect(served.lines).toEqual([expect.objectContaining(sent)]));
    engine.cancel();
    await expect(ended).rejects.toThrow("the run was cancelled");
    expect(exit).not.toHaveBeenCalled();
  });

  test("reports to an engine that attaches, whose end it does not watch", async (context) => {
    const served = await serveEngine(context);
    const engine = pluginProcess("").newEngine();
    engine.cancel(); // before any operation, this does nothing
    engine.connect(served.address);
    const { ended, exit } = started(context, engine, served);
    await waitFor(() => expect(served.lines).toEqual([expect.objectContaining(sent)]));
    served.close();
    engine.cancel();
    await expect(ended).rejects.toThrow("the run was cancelled");
    expect(exit).not.toHaveBeenCalled();
  });

  test("ends with the process once the engine that started it is gone", async (context) => {
    const served = await serveEngine(context);
    const limits = vi.spyOn(systemClock, "after").mockReturnValue(() => undefined);
    context.onTestFinished(() => limits.mockRestore());
    const { ended, exit } = started(context, pluginProcess(served.address).newEngine(), served);
    await waitFor(() => expect(served.lines).toHaveLength(1));
    served.close();
    await expect(ended).rejects.toThrow("Pulumi ended before the operation");
    expect(exit).toHaveBeenCalledWith(1);
    expect(limits).toHaveBeenCalledWith(10_000, expect.any(Function));
  });
});
