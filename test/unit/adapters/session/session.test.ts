// State that the operations of one process share, with a stand-in for the row of a resource and for the engine's Ctrl-C.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, type Mock, test, vi } from "vitest";
import { dynamicHost } from "../../../../provider/adapters/dynamic/dynamicHost.ts";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session } from "../../../../provider/adapters/session/session.ts";
import { Secrets } from "../../../../provider/base/runtime/messages/secrets.ts";
import { noTracer, type Tracing } from "../../../../provider/base/runtime/tracing/tracer.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { EnginesServer } from "../../../simulation/enginesServer.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { URN } from "../../../simulation/testContext.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

let home: string;
let enginesServer: EnginesServer;
let session: Session;
let shared: ReturnType<typeof publications>;
let lines: ReturnType<typeof recordingReporter>["lines"];
/** URN of the row of each reporter that was created, and of each that was closed. */
let rows: (string | undefined)[];
let closed: (string | undefined)[];

beforeEach(() => {
  rows = [];
  closed = [];
  home = mkdtempSync(join(tmpdir(), "pulumi-home-"));
  vi.stubEnv("PULUMI_HOME", home);
  enginesServer = new EnginesServer();
  const reporter = recordingReporter();
  ({ lines } = reporter);
  shared = publications(dynamicHost);
  session = new Session(
    {
      ...dynamicHost,
      reporter: (urn) => {
        rows.push(urn);
        return { ...reporter, close: () => closed.push(urn) };
      },
    },
    shared,
  );
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(home, { recursive: true, force: true });
});

const operation = <T>(run: (context: PublicationContext) => T | Promise<T>): Promise<T> =>
  session.operation("create", { urn: URN }, secrets, async (context) => run(context));
const secrets = new Secrets();
const contextOf = (): Promise<PublicationContext> => operation((context) => context);

describe("an operation", () => {
  test("has the resource's URN and former URN, its row, and its process's clock, network and environment", async () => {
    const urns = { urn: URN, formerUrn: `${URN}-before` };
    const context = await session.operation("create", urns, secrets, (given) => Promise.resolve(given));
    const { fetch, lookup, clock } = dynamicHost;
    expect(context).toMatchObject({ ...urns, fetch, lookup, clock, machine: hostname() });
    expect(rows).toEqual([URN]);
    context.reporter.info("a line");
    expect(lines.info).toEqual(["a line"]);
  });

  test("has no URN, present or former, where none is known", async () => {
    const context = await session.operation("create", {}, secrets, (given) => Promise.resolve(given));
    expect(context).not.toHaveProperty("urn");
    expect(context).not.toHaveProperty("formerUrn");
  });

  test("closes its row at its end, also when it fails", async () => {
    await contextOf();
    await expect(operation(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(closed).toEqual([URN, URN]);
  });

  test("shares the pace of requests with all others of its session, and with no other session", async () => {
    const [one, other] = [await contextOf(), await contextOf()];
    expect(one.pacers).toBe(other.pacers);
    expect(one.downloads).toBe(other.downloads);
    const elsewhere = await new Session(dynamicHost, publications(dynamicHost)).operation(
      "create",
      {},
      secrets,
      (given) => Promise.resolve(given),
    );
    expect(elsewhere.pacers).not.toBe(one.pacers);
  });

  test("counts the concurrent ones, until they end", async () => {
    const contexts: PublicationContext[] = [];
    const ends: (() => void)[] = [];
    const work = [1, 2].map(() =>
      operation((context) => {
        contexts.push(context);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    expect(contexts.map(({ runningOperations }) => runningOperations())).toEqual([2, 2]);
    ends[0]?.();
    await work[0];
    expect(contexts[1]?.runningOperations()).toBe(1);
    ends[1]?.();
    await work[1];
  });
});

describe("tracing", () => {
  test("gets the engine's calls from the first one on, and each operation with its name, URN and row", async () => {
    const listen = vi.fn();
    const recorded: unknown[] = [];
    const tracing: Tracing = {
      listen,
      operation: (given, run) => {
        recorded.push([given.name, given.urn]);
        given.debug("a line");
        return run(tracer);
      },
    };
    const tracer = { ...noTracer };
    const debug = vi.fn();
    const reporter = { ...recordingReporter(), debug, close: () => undefined };
    session = new Session({ ...dynamicHost, tracing, reporter: () => reporter }, publications(dynamicHost));
    session.configure({ stackConfig: () => undefined });
    expect(listen).toHaveBeenCalledTimes(1);
    const context = await session.operation("update", { urn: URN }, secrets, (given) =>
      Promise.resolve(given),
    );
    expect(context.tracer).toBe(tracer);
    expect(recorded).toEqual([["update", URN]]);
    expect(debug.mock.calls).toEqual([["a line"]]);
  });

  test("is part of the operation: until its spans are sent, Ctrl-C stops it", async () => {
    let leave = (): void => undefined;
    const tracing: Tracing = {
      listen: () => undefined,
      operation: async (_given, run) => {
        const result = await run(noTracer);
        await new Promise<void>((resolve) => (leave = resolve));
        return result;
      },
    };
    session = new Session({ ...dynamicHost, tracing }, publications(dynamicHost));
    let runningOperations = (): number => NaN;
    const work = session.operation("create", { urn: URN }, secrets, (context) => {
      ({ runningOperations } = context);
      return Promise.resolve();
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(runningOperations()).toBe(1);
    leave();
    await work;
    expect(runningOperations()).toBe(0);
  });
});

describe("an engine that is gone", () => {
  let gone: () => void;
  let exit: Mock<() => void>;
  let watchEngine: Mock<(onGone: () => void) => void>;
  let clock: VirtualClock;

  beforeEach(() => {
    exit = vi.fn();
    clock = new VirtualClock();
    watchEngine = vi.fn((onGone: () => void) => void (gone = onGone));
    session = new Session({ ...dynamicHost, clock, watchEngine, exit }, publications(dynamicHost));
    session.configure({ stackConfig: () => undefined });
  });

  const stopped = (end: Promise<void>): Promise<unknown> =>
    session
      .operation("create", { urn: URN }, secrets, async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        await end;
        throw signal.reason as Error;
      })
      .catch((error: unknown) => error);

  test("ends the operations, then the process, and leaves the records of started jobs", async () => {
    const resource = { baseUrl: "https://api.example.test", urn: URN, domain: "docs.example.com" };
    session.resumeRecords.save(resource, "0".repeat(64), { jobId: "job-1" });
    session.resumeRecords.handOver(resource);
    let end = (): void => undefined;
    const work = stopped(new Promise((resolve) => (end = resolve)));
    gone();
    await new Promise((resolve) => setImmediate(resolve));
    expect(exit).not.toHaveBeenCalled();
    end();
    expect(await work).toMatchObject({
      name: "RunCancelledError",
      message: "Pulumi ended before the operation",
    });
    expect(exit).toHaveBeenCalledTimes(1);
    expect(readdirSync(join(home, "docs-hosting", "resume"))).toHaveLength(1);
  });

  test("ends the process at once where no operation runs, and no later than after ten seconds", () => {
    gone();
    expect(exit).toHaveBeenCalledTimes(1);
    exit.mockClear();
    void stopped(new Promise(() => undefined));
    clock.advance(9_999);
    expect(exit).not.toHaveBeenCalled();
    clock.advance(1);
    expect(exit).toHaveBeenCalledTimes(1);
  });

  test("that is running leaves the process alone when operations end, and is watched once", async () => {
    await session.operation("create", {}, secrets, () => Promise.resolve());
    await session.operation("create", {}, secrets, () => Promise.resolve());
    expect(exit).not.toHaveBeenCalled();
    expect(watchEngine).toHaveBeenCalledTimes(1);
  });
});

describe("Ctrl-C", () => {
  const CANCELLED = { name: "RunCancelledError", message: "the run was cancelled" };
  const RESOURCE = { baseUrl: "https://api.example.test", urn: URN, domain: "docs.example.com" };
  const PUBLISHING = { urn: URN, place: "s3://docs" };
  /** The records of the job, and of the publication. */
  const records = (): string[] =>
    ["resume", "published"].flatMap((name) => readdirSync(join(home, "docs-hosting", name)));

  /** An operation that ends when it is stopped, and why. */
  const waiting = (): Promise<unknown> =>
    operation(
      ({ signal }) =>
        new Promise((stopped) => signal.addEventListener("abort", () => stopped(signal.reason))),
    );
  /** A job and a publication are recorded, and the state that has them was returned. */
  function handOver(): void {
    shared.publicationRecords.save(PUBLISHING, { items: [] });
    shared.publicationRecords.handOver(PUBLISHING);
    session.resumeRecords.save(RESOURCE, "0".repeat(64), { jobId: "job-1" });
    session.resumeRecords.handOver(RESOURCE);
  }

  test("stops every running operation", async () => {
    const all = [waiting(), waiting()];
    enginesServer.cancel();
    for (const reason of await Promise.all(all)) expect(reason).toMatchObject(CANCELLED);
  });

  test("stops an operation that begins after it at once", async () => {
    await contextOf(); // from now on the server is watched
    enginesServer.cancel();
    const { signal } = await contextOf();
    expect(signal.reason).toMatchObject(CANCELLED);
  });

  test("does not affect an operation that has ended", async () => {
    const { signal } = await contextOf();
    enginesServer.cancel();
    expect(signal.aborted).toBe(false);
  });

  test("at the normal end of a run removes the records that the state has by now", async () => {
    await contextOf();
    handOver();
    expect(records()).toHaveLength(2);
    enginesServer.cancel();
    expect(records()).toEqual([]);
  });

  test("during an operation keeps the records: after a second one the engine stores nothing any more", async () => {
    const work = waiting();
    handOver();
    enginesServer.cancel();
    await work;
    enginesServer.cancel(); // at the end of the run
    expect(records()).toHaveLength(2);
  });

  test("also keeps the records where an operation began after it", async () => {
    await contextOf();
    enginesServer.cancel();
    await contextOf();
    handOver();
    enginesServer.cancel();
    expect(records()).toHaveLength(2);
  });
});
