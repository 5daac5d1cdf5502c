// Copies are made as in another stack, their states are forgotten, and they are imported by their addresses.
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nodeFetch from "node-fetch";
import { beforeEach, expect, onTestFinished } from "vitest";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import { bundleCopy } from "../../../../provider/copies/bundleCopy/lifeCycle.ts";
import type { BundleCopyState } from "../../../../provider/copies/bundleCopy/state.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { withDrift } from "../../../../provider/copies/publication/publication.ts";
import { decisionLine } from "../../../../provider/resource/decision.ts";
import { packedSite } from "../../../simulation/packedSite.ts";
import { KEY, testContext } from "../../../simulation/testContext.ts";

export const exported = { domain: "docs.example.com", jobId: "7f3a" };
export const V1 = { ...exported, version: "v1" };
/** Names {@link V1} in an ID. */
export const QUERY = "?domain=docs.example.com&jobId=7f3a&version=v1";

/** What differs between tests. */
interface Tested {
  /** Removed when the test ends. */
  folder: string;
  /** Calls of the service since the last copy was made. */
  calls: string[];
  /** Environment variables of a test, besides those of all tests. */
  variables: Readonly<Record<string, string | undefined>>;
}

/** A folder with the bundle v1, and a service that offers it, for each test of the file. */
export function importTest() {
  const tested = {} as Tested;
  /** The service's base URL. */
  let service: string;

  beforeEach(async (context) => {
    tested.folder = mkdtempSync(join(tmpdir(), "copy-import-"));
    onTestFinished(() => rmSync(tested.folder, { recursive: true }));
    tested.calls = [];
    tested.variables = {};
    packed("v1", { "guide/a.html": `<title>A</title><p>${"installation ".repeat(99)}</p>` });
    const server = createServer(({ method, url }, response) => {
      if (url === "/store") return response.end(readFileSync(fileOf("v1")));
      tested.calls.push(`${method ?? ""} ${url ?? ""}`);
      const link = {
        bundleUrl: `${service}/store`,
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      };
      const isFound = !String(url).includes("nope");
      response.writeHead(isFound ? 200 : 404, { "content-type": "application/json" });
      return response.end(JSON.stringify(method === "GET" ? { status: "completed" } : link));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    context.onTestFinished(() => server.close().closeAllConnections());
    service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  const environment = (name: string): string | undefined =>
    ({
      PULUMI_HOME: join(tested.folder, "home"),
      DOCS_HOSTING_BASE_URL: service,
      DOCS_HOSTING_ADMIN_API_KEY: KEY,
      ...tested.variables,
    })[name];

  const context = (): PublicationContext =>
    testContext({
      fetch: (url, init) => nodeFetch(url, init),
      clock: systemClock,
      configuration: { environment, stackConfig: () => undefined },
    });

  const fileOf = (name: string): string => join(tested.folder, `${name}.tar.gz`);
  const sha256Of = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(fileOf(name)))
      .digest("hex");

  /** Packs a bundle. Its files are in the folder `site-NAME`. */
  const packed = (name: string, files: Readonly<Record<string, string>>): void =>
    void packedSite(tested.folder, name, { "index.html": "<title>Docs</title>", ...files });

  /** Copies as another stack does. */
  async function copied(destination: object, more: object = {}): Promise<BundleCopyState> {
    const { inputs, failures } = bundleCopy.check(
      { source: exported, destination, ...more },
      context().configuration,
    );
    expect(failures).toEqual([]);
    const state = await bundleCopy.create(context(), inputs);
    tested.calls = [];
    return state;
  }

  /** Imports a copy, and runs the program that Pulumi prints. @returns that program, and the state */
  async function imported(id: string): Promise<{ program: Record<string, unknown>; state: BundleCopyState }> {
    const { inputs, state } = await bundleCopy.import(context(), id);
    const program: Record<string, unknown> = { ...inputs };
    const checked = bundleCopy.check(program, context().configuration, program);
    expect(checked.failures).toEqual([]);
    const { changed, replaces, hidden, decision } = bundleCopy.diff(checked.inputs, state, {
      name: "m",
      nowMs: Date.now(),
    });
    expect({ changed, replaces, hidden, decided: decisionLine(decision) }).toEqual({
      changed: [],
      replaces: [],
      hidden: false,
      decided: `UP_TO_DATE: ${state.outputs.uri} is the copy`,
    });
    // a refresh finds it as the state describes it, without the mark of the importing stack: nothing was written
    expect((await bundleCopy.read(context(), state))?.state).toEqual(withDrift(state, "unmarked"));
    return { program, state };
  }

  return { tested, context, fileOf, sha256Of, packed, copied, imported };
}

/**
 * The state that an import must give: that of the stack that made the copy. Its age is not known, and it has its own owner, who adopts a
 * place of its owner.
 */
export function expectSame(found: BundleCopyState, made: BundleCopyState): void {
  const isDate = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  const { outputs, bookkeeping } = made;
  const { destination } = outputs;
  const isShared = "repository" in destination && destination.tag === undefined;
  expect(found.bookkeeping.owner).not.toBe(bookkeeping.owner);
  expect(found).toEqual({
    outputs: {
      ...outputs,
      copiedAt: isDate,
      ...(outputs.expiresAt && {
        bundleUrl: expect.any(String) as string,
        expiresAt: isDate,
        renewAfter: isDate,
      }),
    },
    bookkeeping: {
      ...bookkeeping,
      owner: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      adopts: isShared ? "" : bookkeeping.owner,
      copies: bookkeeping.copies.map(({ copy, bundle }) => ({
        copy,
        bundle: { ...bundle, copiedAt: isDate },
      })),
    },
  });
}
