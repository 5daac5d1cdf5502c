// A service with hostile, or merely unlucky, texts. They are only texts: the run ends, nothing is lost, and only text is shown or
// stored.
import { join } from "node:path";
import { expect, test } from "vitest";
import type { InterceptedRequest, InterceptorReply } from "../../../examples/reference-service/index.ts";
import { type OperationResult, unknownValue } from "../../engine/index.ts";
import { formsOf } from "../../simulation/secretForms.ts";
import { docs } from "../programFolder.ts";
import { JOBS, START, startsOf } from "../requests.ts";
import { buildWorld, CANARY_KEY, onEachEngine, stepsOf, succeeded, type World } from "../world.ts";

interface Row {
  /** Name of the export, and so of its site. */
  name: string;
  /** The service's answer in place of a good reply. */
  start?: InterceptorReply;
  status?: InterceptorReply;
  /** The first run's message about it; none where it succeeds. */
  says?: string;
  /** The number of all jobs that were started, once the service works again. */
  starts: number;
}

const refused = (error: string): InterceptorReply => ({ status: 400, body: { error } });
const UNUSABLE_ID = 'answered without a usable "jobId"';

const ROWS: readonly Row[] = [
  {
    name: "emoji-at-the-cut-of-a-failure",
    status: { body: { status: "failed", error: `a${"😀".repeat(600)}` } },
    says: `failed: the service says: a${"😀".repeat(499)}…`,
    starts: 2, // it failed
  },
  {
    name: "emoji-at-the-cut-of-a-403",
    start: { status: 403, body: `${"x".repeat(199)}😀` },
    says: `answered 403: ${"x".repeat(199)}…`,
    starts: 2, // nothing was started
  },
  { name: "half-character-in-an-error", status: refused("half \ud83d"), says: "half \ufffd", starts: 1 },
  {
    name: "half-character-in-a-status",
    status: { body: { status: "\ude00running" } },
    says: "Last seen: \ufffdrunning",
    starts: 1,
  },
  {
    name: "commands-of-azure-in-an-error",
    status: refused("##vso[task.setvariable variable=a]b ##[stop-commands]c"),
    says: "# #vso[task.setvariable variable=a]b # #[stop-commands]c",
    starts: 1,
  },
  {
    name: "line-ends-and-commands-of-github-in-an-error",
    status: refused(
      "a\n::set-output name=a::b\u2028::error::c\u2029::debug::d\u0085e\u001b[31mf\u202eg\u001b]0;h\u0007i",
    ),
    says: "a : :set-output name=a::b : :error::c : :debug::d ef g ]0;h i",
    starts: 1,
  },
  {
    name: "commands-in-a-status",
    status: { body: { status: "##[group]x" } },
    says: "statuses: # #[group]x",
    starts: 1,
  },
  {
    name: "commands-in-a-content-type",
    status: {
      headers: { "content-type": "##vso[task.complete result=Failed]" },
      body: { status: "completed" },
    },
    starts: 1,
  },
  {
    name: "commands-in-an-id",
    start: { body: { jobId: "##[stop-commands]1" } },
    says: UNUSABLE_ID,
    starts: 2,
  },
  { name: "unknown-value-as-an-id", start: { body: { jobId: unknownValue } }, says: UNUSABLE_ID, starts: 2 },
  { name: "key-as-an-id", start: { body: { jobId: CANARY_KEY } }, says: UNUSABLE_ID, starts: 2 },
  {
    name: "unknown-value-as-a-status",
    status: { body: { status: unknownValue.toUpperCase() } },
    says: "Last seen: [removed]",
    starts: 1,
  },
];

const AGENT_JOB = {
  status: "completed",
  source: { repository: "https://git.example.com/docs/site", ref: "main" },
  model: "model-7",
  prLink: "https://git.example.com/docs/site/pulls/4",
  createdAt: "2026-03-01T10:00:00Z",
};

/** The service's first answers for these agent jobs, beside the id. */
const AGENT_BODIES: Record<string, object> = {
  sparse: { status: "completed" },
  loud: {
    ...AGENT_JOB,
    model: `${CANARY_KEY} ${Buffer.from(CANARY_KEY).toString("base64")} ${"m".repeat(500_000)}`,
    source: { repository: "https://git.example.com/docs/site", ref: "a\u001b[31mb\u2028##vso[x]c\ud83d" },
  },
  unknown: { ...AGENT_JOB, model: unknownValue },
};

const hasNoId = ({ says }: Row): boolean => says === UNUSABLE_ID;

/** @param version of the sites whose start had no usable id: only another version starts a second job */
const programOf = (version?: string): string => `
  const opts = { customTimeouts: { create: "6s", update: "60s" } };
  for (const [name, version] of ${JSON.stringify(ROWS.map((row) => [row.name, hasNoId(row) ? version : undefined]))})
    new StaticExport(name, { domain: name + ".example.com", version: version ?? undefined }, opts);
  for (const id of ${JSON.stringify(Object.keys(AGENT_BODIES))}) {
    const { source, model, prLink, createdAt } = new AgentJob(id, { projectId: "p1", id }, opts);
    exports[id] = { source, model, prLink, createdAt };
  }`;

/** Answers for every site of the table, at first as the table says. */
function hostileService({ service }: World): {
  isWell: boolean;
  /** Every poll is refused with this text. */
  refusal?: string;
  starts: Record<string, number>;
} {
  const state: ReturnType<typeof hostileService> = { isWell: false, starts: {} };
  const rowOf = (request: InterceptedRequest): Row | undefined => {
    const name =
      request.path === JOBS
        ? (request.body as { domain: string }).domain.replace(".example.com", "")
        : /^job-of-(.+)-\d+$/.exec(request.path.split("/")[4] ?? "")?.[1];
    return ROWS.find((row) => row.name === name);
  };
  service.intercept((request) => {
    const { method, path } = request;
    if (method === "GET" && state.refusal !== undefined) return refused(state.refusal);
    const [, agent = ""] = /^\/v2\/agent\/p1\/job\/(.*)/.exec(path) ?? [];
    if (agent) return { body: { ...(state.isWell ? AGENT_JOB : AGENT_BODIES[agent]), id: agent } };
    const row = rowOf(request);
    if (!row) return undefined;
    const { start, status } = state.isWell ? ({} as Row) : row;
    if (`${method} ${path}` === START) {
      const number = (state.starts[row.name] = (state.starts[row.name] ?? 0) + 1);
      return start ?? { status: 202, body: { jobId: `job-of-${row.name}-${number}` } };
    }
    if (method === "GET") return status ?? { body: { status: "completed", pageCount: 3 } };
    return {
      body: {
        bundleUrl: `${service.url}/site.tar.gz?sig=1`,
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      },
    };
  });
  return state;
}

/** The real CLI shows how Node.js prints an error, in colours; the one that the service sends is not among them. */
const STYLE_OF_NODE = /\u001b\[(?!31m)\d+m/g;

/** Only text was shown or stored: no terminal sequence, no invisible character except our own line ends, no key. */
async function expectOnlyText(world: World, results: readonly OperationResult[]): Promise<void> {
  const written = await world.everythingWritten();
  expect(written).not.toMatch(/##[a-z]*\[/i);
  expect(written).not.toMatch(/::(?:set-output|error|debug)\b/);
  for (const form of formsOf(CANARY_KEY)) expect(written).not.toContain(form);
  const kept = (await world.stack.exportState()).map(({ id, outputs }) => JSON.stringify([id, outputs]));
  for (const shown of [
    ...results.flatMap(({ text, logs }) => [text, ...logs.map(({ message }) => message)]),
    ...kept,
  ]) {
    expect(
      /.{0,80}(?:[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]|\\u00|\\u20).{0,40}/u.exec(
        shown.replaceAll(STYLE_OF_NODE, ""),
      )?.[0],
    ).toBeUndefined();
  }
}

onEachEngine("hostile texts", (kind) => {
  test.concurrent(
    "each text of a hostile service ends its run with a readable error, and the next up continues the same job",
    async (context) => {
      const world = await buildWorld(context, kind);
      const service = hostileService(world);
      world.program(programOf());
      const limits = { parallel: 64, continueOnError: true };
      const up = await world.stack.up(limits);
      expect(up.ok).toBe(false);
      const said = `${up.text}\n${up.error ?? ""}`;
      for (const { says, name } of ROWS) if (says) expect(said, name).toContain(says);
      const state = await world.stack.exportState();
      const agent = (id: string): unknown => state.find((resource) => resource.id === id)?.outputs;
      const empty = { source: { repository: "", ref: null }, model: "", prLink: null, createdAt: "" };
      expect(agent("sparse")).toMatchObject({ ...empty, status: "completed" });
      expect(said).toContain(
        "agent job sparse of project p1: the service does not send source, model, createdAt",
      );
      expect(agent("loud")).toMatchObject({
        source: { repository: "https://git.example.com/docs/site", ref: "ab # #vso[x]c\ufffd" },
        model: `[removed] [removed] ${"m".repeat(980)}…`,
      });
      expect(agent("unknown")).toMatchObject({ model: "[removed]" });

      service.isWell = true;
      const refusal = await world.stack.up(limits);
      expect(`${refusal.text}\n${refusal.error ?? ""}`).toContain("no request is sent and no job is started");
      for (const { name } of ROWS.filter(hasNoId)) expect(service.starts[name], name).toBe(1);
      world.program(programOf("v2"));
      const again = succeeded(await world.stack.up(limits));
      expect(again.outputs["sparse"]?.value).toEqual(empty);
      const jobs = Object.fromEntries(ROWS.map(({ name, starts }) => [name, starts]));
      expect(service.starts).toEqual(jobs);
      const exported = (await world.stack.exportState()).filter(({ type }) => type.endsWith(":StaticExport"));
      expect(Object.fromEntries(exported.map(({ id, outputs }) => [id, outputs["jobId"]]))).toEqual(
        Object.fromEntries(
          ROWS.map(({ name, starts }) => [`${name}.example.com`, `job-of-${name}-${starts}`]),
        ),
      );
      expect(world.resumeRecords()).toEqual([]);

      service.refusal = "half \ud83d";
      const outputs = async (): Promise<unknown[]> =>
        (await world.stack.exportState()).map((resource) => resource.outputs);
      const before = await outputs();
      const refresh = await world.stack.refresh();
      expect(refresh.ok).toBe(false);
      expect(refresh.text).toContain("half \ufffd. The state is unchanged.");
      expect(await outputs()).toEqual(before);
      await expectOnlyText(world, [up, again, refresh]);
    },
  );

  test.concurrent(
    "an answer that cannot be sent ends the run with an error, and the next up continues the same job",
    async (context) => {
      const hook = join(import.meta.dirname, "../unsendableText.ts");
      const world = await buildWorld(context, kind, { env: { NODE_OPTIONS: `--import ${hook}` } });
      world.program(docs());
      const undo = world.answerLooks(refused("unsendable"));
      const up = await world.stack.up();
      expect(up.ok).toBe(false);
      expect(up.text).toContain(
        kind.adapter === "native"
          ? "docs-hosting: URI malformed"
          : "pulumi-docs-hosting: an answer could not be sent (URIError), so this run ends.",
      );
      const [record] = world.resumeRecords();
      undo();
      expect(stepsOf(await world.up())).toEqual(["create docs"]);
      expect((await world.exported()).outputs["jobId"]).toBe(record?.jobId);
      expect(startsOf(world.service.requests)).toHaveLength(1);
      expect(world.resumeRecords()).toEqual([]);
    },
  );
});
