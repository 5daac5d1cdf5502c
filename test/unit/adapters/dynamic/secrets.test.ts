// The secrets that one operation reads, of each kind: they do not leave the adapter in any form that others give them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { dynamicHost } from "../../../../provider/adapters/dynamic/dynamicHost.ts";
import {
  type DynamicProvider,
  dynamicProvider,
} from "../../../../provider/adapters/dynamic/dynamicProvider.ts";
import { publications } from "../../../../provider/adapters/session/publications.ts";
import { Session } from "../../../../provider/adapters/session/session.ts";
import { startDeadline } from "../../../../provider/base/runtime/time/clock.ts";
import { s3Destination } from "../../../../provider/publishing/destinations/objectStore/s3/s3Store.ts";
import { requestStore } from "../../../../provider/publishing/download/storeRequest.ts";
import { RegistryClient } from "../../../../provider/publishing/images/registry/client.ts";
import { signerFrom } from "../../../../provider/publishing/images/signing/signer.ts";
import type { Context } from "../../../../provider/resource/context.ts";
import {
  type LifeCycle,
  openClient,
  type StoredState,
  UnfinishedError,
} from "../../../../provider/resource/lifeCycle.ts";
import { resolveApiKey } from "../../../../provider/service/configuration.ts";
import { OWNER } from "../../../simulation/owners.ts";
import { RecordedSpans } from "../../../simulation/recordedSpans.ts";
import { scriptedFetch, type ScriptedReply, type SeenRequest } from "../../../simulation/scriptedFetch.ts";
import { VirtualClock } from "../../../simulation/virtualClock.ts";

type Life = LifeCycle<object, StoredState>;
const STATE: StoredState = { outputs: {}, bookkeeping: {} };
const SECRET = "c4n4ry/Wert+7";
/** The forms in which a secret may come back: plain, and in forms that no pattern matches. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(`me:${secret}`).toString("base64"),
];
const FORMS = formsOf(SECRET).join(", ");

/** All output of the adapter. */
let left: string[];
let environment: Record<string, string>;
let answer: (request: SeenRequest) => ScriptedReply;

beforeEach(() => {
  left = [];
  environment = {};
  answer = () => ({});
});

function adapter(life: Partial<Life>): DynamicProvider {
  const clock = new VirtualClock();
  const note = (line: string): void => void left.push(line);
  const { spans, finished } = new RecordedSpans(clock);
  const session = new Session(
    {
      ...dynamicHost,
      clock,
      fetch: (...given) => scriptedFetch((request) => answer(request)).fetch(...given),
      environment: (name) => environment[name],
      reporter: () => ({ progress: note, debug: note, info: note, warn: note, close: () => undefined }),
      watchForCancel: () => undefined,
      watchEngine: () => undefined,
      exit: () => undefined,
      tracing: {
        listen: () => undefined,
        operation: async (operation, run) => {
          try {
            return await spans.operation(operation, run);
          } finally {
            left.push(JSON.stringify(finished.map(({ attributes, status }) => [attributes, status])));
          }
        },
      },
    },
    publications(dynamicHost),
  );
  return dynamicProvider(
    () => ({
      outputs: {},
      noBookkeeping: {},
      idOf: () => "id",
      check: (inputs) => ({ inputs, failures: [] }),
      diff: () => ({
        changed: [],
        replaces: [],
        hidden: false,
        decision: { code: "UP_TO_DATE", text: "" },
      }),
      predict: () => ({}),
      create: () => Promise.resolve(STATE),
      read: () => Promise.resolve(undefined),
      gone: () => ({ code: "JOB_GONE", text: "" }),
      lookUp: () => Promise.reject(new Error("nothing")),
      import: () => Promise.reject(new Error("nothing")),
      update: () => Promise.resolve(STATE),
      remove: () => Promise.resolve(),
      ...life,
    }),
    session,
  );
}

/** Runs an operation that may fail: its error is output, too. */
async function operation(run: (context: Context) => Promise<unknown>): Promise<void> {
  const provider = adapter({ create: (context) => run(context).then(() => STATE) });
  await provider.create({}).catch((error: unknown) => left.push((error as Error).message));
}

function expectNothing(expected: string): void {
  const all = left.join("\n");
  expect(all).toContain(expected); // the other texts did arrive
  // the characters of base64 text that depend only on the secret
  const [plain, encoded, base64 = ""] = formsOf(SECRET);
  for (const form of ["c4n4ry", plain, encoded, base64.slice(4, -4)]) expect(all).not.toContain(form);
}

describe("a secret of an operation", () => {
  const say = (context: Context): void => {
    context.secrets.add(SECRET);
  };
  const text = `it is ${FORMS} and ${SECRET.slice(0, 9)}…`;

  test("is in none of its lines", async () => {
    await operation((context) => {
      say(context);
      for (const level of ["progress", "debug", "info", "warn"] as const) context.reporter[level](text);
      return Promise.resolve();
    });
    expect(
      left.slice(0, 4).map((line) => line.replace(/[a-zA-Z0-9+/=]*\[removed\][a-zA-Z0-9+/=]*/g, "*")),
    ).toEqual(Array(4).fill("it is *, *, * and *…"));
    expectNothing("it is");
  });

  test("is in no span", async () => {
    await operation((context) =>
      context.tracer
        .span("within", { "docs_hosting.domain": text }, () => {
          say(context);
          context.tracer.note({ "docs_hosting.job.status": text });
          return context.tracer.span("deeper", {}, () => Promise.reject(new Error(text)));
        })
        .catch(() => undefined),
    );
    left = left.map((line) => line.replace(JSON.stringify(text).slice(1, -1), "noted before it was known"));
    expectNothing("and [removed]…");
  });

  test.each([
    ["an error", (message: string) => new Error(message)],
    ["a partial result", (message: string) => new UnfinishedError(new Error(message), STATE)],
    ["something thrown that is no error", (message: string) => message],
  ])("is not in %s", async (_what, thrown) => {
    await operation(async (context) => {
      await Promise.resolve(say(context));
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- others may throw anything
      throw thrown(text);
    });
    expectNothing("and [removed]…");
  });

  test("is in no check failure: a key in place of another input", async () => {
    environment = { DOCS_HOSTING_ADMIN_API_KEY: `svc_${SECRET}` };
    const provider = adapter({
      check: (inputs, configuration) => {
        const key = resolveApiKey(configuration);
        return { inputs, failures: [{ property: key, reason: `"${key}" is no host name` }] };
      },
    });
    const { failures } = await provider.check({}, {});
    expect(failures).toEqual([{ property: "[removed]", reason: '"[removed]" is no host name' }]);
  });

  test("is not known to the next operation", async () => {
    await operation((context) => {
      say(context);
      return Promise.resolve();
    });
    await operation(({ reporter }) => Promise.resolve(reporter.info("c4n4ry/Wert+7")));
    expect(left).toContain("c4n4ry/Wert+7");
  });
});

describe("of each kind", () => {
  test.each(["environment", "configuration"])("the API key of the %s", async (where) => {
    const key = `svc_${SECRET}`;
    environment = { ...(where === "environment" && { DOCS_HOSTING_ADMIN_API_KEY: key }) };
    answer = () => ({ status: 400, body: { error: `who are you? ${formsOf(key).join(" ")}` } });
    await operation((context) => {
      const configuration = {
        ...context.configuration,
        ...(where === "configuration" && {
          stackConfig: (name: string) => (name.endsWith("adminApiKey") ? key : undefined),
        }),
      };
      return openClient(
        { ...context, configuration },
        { baseUrl: "https://api.example.com" },
        1_000,
      ).client.getExport("7", "docs.example.com");
    });
    expectNothing("who are you?");
  });

  test("the signing key, line by line", async () => {
    const lines = ["MIGHAgEAMBMGByqGSM49c4n4ry", "AgEGCCqGSM49AwEHBG0wc4n4ry"];
    environment = { KIT_KEY: ["-----BEGIN KEY-----", ...lines, "-----END KEY-----"].join("\n") };
    await operation((context) => {
      expect(() => signerFrom("KIT_KEY", context.configuration)).toThrow();
      return Promise.reject(new Error(`bad key: ${lines.join(" ")}`));
    });
    expectNothing("bad key:");
  });

  test.each([
    ["password", { username: "me", password: SECRET }, 'Basic realm="r"'],
    ["identity token", { identitytoken: SECRET }, 'Bearer realm="https://auth.example.com/token"'],
  ])("the %s of a registry, and what it gives for it", async (_what, login, challenge) => {
    const folder = mkdtempSync(join(tmpdir(), "docker-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "config.json"), JSON.stringify({ auths: { "registry.internal": login } }));
    environment = { DOCKER_CONFIG: folder };
    const token = "c4n4ry.of-a.token";
    answer = ({ url, headers }) => {
      if (url.includes("auth.example.com")) return { body: { token } };
      return headers["authorization"] === undefined
        ? { status: 401, headers: { "www-authenticate": challenge } }
        : { status: 403, text: `go away, ${headers["authorization"].split(" ")[1]} and ${FORMS}` };
    };
    await operation((context) => asking(context).send(CALL, () => Promise.resolve()));
    expectNothing("go away");
  });

  test("the address at which a registry continues an upload", async () => {
    const place = `/v2/a/blobs/uploads/1?_state=${encodeURIComponent(SECRET)}&x=1`;
    answer = () => ({
      status: 403,
      text: `no state ${SECRET}`,
    });
    await operation(async (context) => {
      const session = asking(context);
      const to = await session.located(place, new URL("https://registry.internal/"));
      return session.send({ ...CALL, to }, () => Promise.resolve());
    });
    expectNothing("no state");
  });

  test("a presigned link, and a store's redirect", async () => {
    environment = { DOCS_HOSTING_ADMIN_API_KEY: "svc_another" };
    const [minted, redirected] = ["c4n4ry-minted", "c4n4ry-redirected"];
    answer = ({ url }) => {
      if (url.endsWith("/bundle")) {
        return { body: { bundleUrl: `https://store.example/a?X-Signature=${minted}` } };
      }
      if (url.includes(minted)) {
        return { status: 307, headers: { location: `https://other.example/b?sig=${redirected}` } };
      }
      return { status: 500 };
    };
    await operation(async (context) => {
      const service = openClient(context, { baseUrl: "https://api.example.com" }, 60_000);
      const { url } = await service.client.createBundle("7", "docs.example.com");
      const policy = { allowInsecure: false, publicStorageOnly: false };
      const network = { ...service, policy, proxyFor: () => undefined };
      await requestStore(url, {}, network, () => Promise.resolve());
      throw new Error(`the store said ${minted}, then ${redirected}`);
    });
    expectNothing("the store said");
  });

  test("the credentials of a bucket, and the links that they sign", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
    vi.stubEnv("AWS_SESSION_TOKEN", "c4n4ry-of-a-session");
    const store = createServer((_request, response) => {
      response.writeHead(400, { "content-type": "application/xml" });
      response.end(
        `<Error><Code>Odd</Code><Message>odd: c4n4ry-of-a-session and ${SECRET}</Message></Error>`,
      );
    });
    await new Promise<void>((resolve) => store.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      store.closeAllConnections();
      store.close();
    });
    const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    const place = s3Destination({ bucket: "docs", endpoint, region: "us-east-1", linkLife: "1h" });
    const copy = { sha256: "0".repeat(64), uri: "s3://docs/a", parts: { key: "a", size: 1, etag: "e" } };
    await operation(async (context) => {
      const given = {
        ...context,
        clock: dynamicHost.clock,
        deadline: startDeadline(dynamicHost.clock, 60_000),
        environment: () => undefined,
        scratch: () => Promise.resolve("/nowhere"),
        owner: OWNER,
      };
      const signed = await place.link?.(copy, given);
      const signature = new URL(signed?.url ?? "").searchParams.get("X-Amz-Signature") ?? "";
      expect(signature).toHaveLength(64);
      context.reporter.info(`it signed ${signature}`);
      expect(left.at(-1)).toBe("it signed [removed]");
      await place.compare(copy, given).catch((error: unknown) => {
        expect((error as Error).message).toContain("odd:");
        throw error;
      });
    });
    expectNothing("odd:");
  });
});

const CALL = { method: "GET", to: "a/tags/list", accepted: [200] } as const;

function asking(context: Context): RegistryClient {
  return new RegistryClient(
    { host: "registry.internal", path: "a" },
    {
      ...context,
      environment: context.configuration.environment,
      deadline: startDeadline(context.clock, 1_000),
    },
    { actions: "pull,push" },
  );
}
