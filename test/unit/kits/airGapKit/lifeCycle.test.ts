// The life of a kit of a local file, without images: test/copies/ pulls those.
import { createHash, generateKeyPairSync } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../provider/base/runtime/time/clock.ts";
import type { PublicationContext } from "../../../../provider/copies/publication/context.ts";
import { draftOwner } from "../../../../provider/kits/airGapKit/draftOwner.ts";
import { AIR_GAP_KIT_INPUTS, type CheckedKitInputs } from "../../../../provider/kits/airGapKit/inputs.ts";
import { airGapKit } from "../../../../provider/kits/airGapKit/lifeCycle.ts";
import type { AirGapKitState } from "../../../../provider/kits/airGapKit/state.ts";
import { claimDraft } from "../../../../provider/kits/contents/draft.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../provider/publishing/ownership/placeMark.ts";
import { decisionLine } from "../../../../provider/resource/decision.ts";
import { checkByTable } from "../../../../provider/resource/inputTable.ts";
import { localContext, packedSite } from "../../../simulation/packedSite.ts";
import { RecordedSpans } from "../../../simulation/recordedSpans.ts";
import { recordingReporter } from "../../../simulation/recordingReporter.ts";
import { URN } from "../../../simulation/testContext.ts";

let folder: string;
let reporter: ReturnType<typeof recordingReporter>;
let environment: Record<string, string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "air-gap-kit-"));
  reporter = recordingReporter();
  environment = { PULUMI_HOME: join(folder, "home") };
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const context = (signal = new AbortController().signal): PublicationContext =>
  localContext(folder, {
    reporter,
    signal,
    configuration: { environment: (name) => environment[name], stackConfig: () => undefined },
  });

function inputsOf(
  version: string,
  given: object = {},
  page = `<p>${version}</p>`,
  more: Readonly<Record<string, string>> = {},
): CheckedKitInputs {
  const source = { ...packedSite(folder, version, { "index.html": page, ...more }), version };
  const { inputs, failures } = checkByTable<CheckedKitInputs>(
    AIR_GAP_KIT_INPUTS,
    { source, folder: join(folder, "kits"), ...given },
    context().configuration,
  );
  expect(failures).toEqual([]);
  return inputs;
}

const left = (): string[] => readdirSync(join(folder, "kits")).sort();
/** Without the marks of their owners. */
const kits = (): string[] => left().filter((name) => name !== MARKS_FOLDER);
const nameOf = ({ outputs }: AirGapKitState): string => outputs.path.slice(join(folder, "kits/").length);
const verdict = (inputs: CheckedKitInputs, state: AirGapKitState): unknown => {
  const { replaces, hidden, decision } = airGapKit.diff(inputs, state, { name: "m", nowMs: 0 });
  return { replaces, hidden, decided: decisionLine(decision) };
};
const SAME = { replaces: [], hidden: false };
const decided = (text: string | RegExp): unknown =>
  expect.objectContaining({ decided: expect.stringMatching(text) as string });

test("a line names the files of a bundle that only start it on a reader's computer: the bundle in the kit has them", async () => {
  const inputs = inputsOf("v1", {}, "<p>v1</p>", { "serve.js": "x", "Start Docs.bat": "node serve.js" });
  const { outputs } = await airGapKit.create(context(), inputs);
  expect(reporter.lines.info).toContainEqual(expect.stringMatching(/^not published, .*serve\.js/));
  const bundle = readFileSync(join(outputs.path, "bundle.tar.gz"));
  const { source } = inputs;
  expect(createHash("sha256").update(bundle).digest("hex")).toBe("fileSha256" in source && source.fileSha256);
});

describe("a kit", () => {
  test("has a span for each step", async () => {
    const recorded = new RecordedSpans(systemClock);
    await recorded.operation((tracer) => airGapKit.create({ ...context(), tracer }, inputsOf("v1")));
    expect(recorded.outline).toEqual([
      "docs_hosting.create",
      "  docs_hosting.air_gap_kit",
      "    docs_hosting.bundle.inspect",
      "    docs_hosting.kit.write",
    ]);
    const about = { "pulumi.urn": URN, "docs_hosting.decision": "NEW" };
    expect(recorded.tree.attributes).toEqual(about);
    expect(recorded.named("docs_hosting.air_gap_kit").attributes).toEqual({
      ...about,
      "docs_hosting.destination": join(folder, "kits"),
    });
  });

  test("is one folder, described by its outputs; the next run sends and writes nothing", async () => {
    const inputs = inputsOf("v1");
    const state = await airGapKit.create(context(), inputs);
    const { outputs } = state;
    expect(kits()).toEqual([nameOf(state)]);
    const sums = readFileSync(join(outputs.path, "SHA256SUMS"));
    const archive = readFileSync(join(outputs.path, "bundle.tar.gz"));
    expect(outputs).toEqual({
      ...inputs,
      path: join(folder, "kits", nameOf(state)),
      version: "v1",
      sha256: createHash("sha256").update(sums).digest("hex"),
      size: expect.any(Number) as number,
      files: readdirSync(outputs.path).length,
      signed: false,
      bundleSha256: createHash("sha256").update(archive).digest("hex"),
      pages: 1,
      selfContained: true,
      externalLoads: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    });
    expect(airGapKit.idOf(state)).toBe(join(folder, "kits"));
    expect(reporter.lines.info).toEqual([expect.stringMatching(/^NEW: a kit of the file /)]);
    expect(verdict(inputs, state)).toEqual({ ...SAME, decided: `UP_TO_DATE: ${outputs.path} is the kit` });
  });

  test("that a refresh found gone takes no place of an earlier kit", async () => {
    const first = await airGapKit.create(context(), inputsOf("v1"));
    const second = await airGapKit.update(context(), first, inputsOf("v2"));
    rmSync(second.outputs.path, { recursive: true });
    const seen = await airGapKit.read(context(), second);
    if (!seen) throw new Error("no state");
    const third = await airGapKit.update(context(), seen.state, inputsOf("v3"));
    expect(kits()).toEqual([nameOf(first), nameOf(third)].sort());
    expect(third.bookkeeping.kits.map(({ kit }) => kit.name)).toEqual([nameOf(third), nameOf(first)]);
  });

  test("that is not on this machine takes no place of an earlier one, also without a refresh", async () => {
    const first = await airGapKit.create(context(), inputsOf("v1"));
    const second = await airGapKit.update(context(), first, inputsOf("v2"));
    rmSync(second.outputs.path, { recursive: true });
    const third = await airGapKit.update(context(), second, inputsOf("v3"));
    expect(kits()).toEqual([nameOf(first), nameOf(third)].sort());
  });

  test("that is not on this machine is written again, though nothing changed", async () => {
    const inputs = inputsOf("v1");
    const state = await airGapKit.create(context(), inputs);
    rmSync(join(folder, "kits"), { recursive: true });
    expect(verdict(inputs, state)).toMatchObject({
      decided: expect.stringMatching(/^MISSING: .* is not on this machine, so a kit of the file/) as string,
    });
    const again = await airGapKit.update(context(), state, inputs);
    expect(kits()).toEqual([nameOf(state)]);
    expect(again.bookkeeping.owner).toBe(state.bookkeeping.owner);
    await airGapKit.remove(context(), again);
    expect(left()).toEqual([]);
  });

  test("of new content is written beside the one before, and earlier ones are removed; going back writes no second one", async () => {
    let state = await airGapKit.create(context(), inputsOf("v1"));
    const names = [nameOf(state)];
    for (const version of ["v2", "v3"]) {
      const inputs = inputsOf(version);
      expect(verdict(inputs, state)).toEqual(decided(/^NEW_CONTENT: source changed, so a kit of the file/));
      state = await airGapKit.update(context(), state, inputs);
      names.push(nameOf(state));
    }
    expect(kits()).toEqual(names.slice(1).sort());
    const back = await airGapKit.update(context(), state, inputsOf("v2"));
    expect(kits()).toEqual(names.slice(1).sort());
    expect(back.outputs.version).toBe("v2");

    const none = { ...inputsOf("v2"), keep: 0 };
    expect(verdict(none, back)).toEqual({
      ...SAME,
      decided: `SETTINGS: earlier kits at ${join(folder, "kits")} are removed: 1`,
    });
    const alone = await airGapKit.update(context(), back, none);
    expect(kits()).toEqual([names[1]]);
    expect(alone.outputs).toEqual({ ...back.outputs, keep: 0 }); // nothing was written
    expect(reporter.lines.info).toHaveLength(1); // an update's decision is in its diff
    writeFileSync(join(folder, "kits/of-others"), "");
    await airGapKit.remove(context(), alone);
    expect(left()).toEqual(["of-others"]);
  });

  test("that is missing leaves the state; a changed one is written again; an unchanged one stays", async () => {
    const inputs = inputsOf("v1");
    const state = await airGapKit.create(context(), inputs);
    expect((await airGapKit.read(context(), state))?.state).toEqual(state);
    rmSync(join(state.outputs.path, "values.yaml"));
    const drifted = (await airGapKit.read(context(), state))?.state;
    expect(drifted?.bookkeeping.drifted).toBe("changed");
    if (!drifted) return;
    expect(verdict(inputs, drifted)).toEqual(
      decided(/^DRIFTED: .* has changed since it was written, so a kit of the file/),
    );
    expect(verdict(inputs, drifted)).toMatchObject({ hidden: true });
    const mended = await airGapKit.update(context(), drifted, inputs);
    expect(mended.outputs.path).toBe(state.outputs.path);
    expect((await airGapKit.read(context(), mended))?.state).toEqual(mended);
    rmSync(mended.outputs.path, { recursive: true });
    expect(await airGapKit.read(context(), mended)).toBeUndefined();
    expect(decisionLine(airGapKit.gone(mended))).toBe(
      `DRIFTED: ${mended.outputs.path} no longer exists. It is removed from the state; the next \`pulumi up\` creates it again`,
    );
  });

  test("of a chart is written again when the chart's files change, but not when its path does", async () => {
    const chart = join(folder, "chart");
    mkdirSync(chart);
    writeFileSync(join(chart, "Chart.yaml"), "name: docs\nversion: 1.0.0\n");
    const inputs = inputsOf("v1", { chart: { path: chart, digest: "sha256:1" } });
    const state = await airGapKit.create(context(), inputs);
    expect(existsSync(join(state.outputs.path, "chart/docs-1.0.0.tgz"))).toBe(true);
    expect(verdict({ ...inputs, chart: { path: "x", digest: "sha256:1" } }, state)).toEqual(
      decided("^UP_TO_DATE"),
    );
    expect(verdict({ ...inputs, chart: { path: chart, digest: "sha256:2" } }, state)).toEqual(
      decided("^NEW_CONTENT: chart changed"),
    );
  });
});

describe("a signing key", () => {
  test("signs the kit, and is in no record and no output", async () => {
    const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    environment["KIT_KEY"] = pem;
    const state = await airGapKit.create(context(), inputsOf("v1", { signingKeyEnv: "KIT_KEY" }));
    expect(state.outputs.signed).toBe(true);
    expect(readdirSync(state.outputs.path)).toContain("SHA256SUMS.sig");
    const secret = pem.split("\n")[1] ?? "";
    expect(JSON.stringify([state, reporter.lines])).not.toContain(secret);
    const without = inputsOf("v1");
    expect(verdict(without, state)).toEqual(decided("^NEW_CONTENT: signingKeyEnv changed"));
  });

  test("that is missing is reported before anything is written", async () => {
    const run = airGapKit.create(context(), inputsOf("v1", { signingKeyEnv: "KIT_KEY" }));
    await expect(run).rejects.toThrow(
      /KIT_KEY, which `signingKeyEnv` names, is not set\. Nothing was published\./,
    );
    expect(existsSync(join(folder, "kits"))).toBe(false);
  });
});

describe("nothing is written, and the existing kit stays,", () => {
  test.each<[string, object, string | undefined, string]>([
    [
      "of a bundle that loads from elsewhere, where that is not wanted",
      { requireSelfContained: true },
      `<script src="https://cdn.example.net/x.js">`,
      "load from other hosts",
    ],
    ["of a bundle that is too large", { limits: { archiveBytes: 10 } }, undefined, "10 B"],
    ["with a chart that is not there", { chart: "./no-chart" }, undefined, "there is no chart ./no-chart"],
    ["after a manifest that is none", { since: "./no-manifest.json" }, undefined, "cannot be read (ENOENT)"],
  ])("%s", async (_, given, page, message) => {
    const state = await airGapKit.create(context(), inputsOf("v1"));
    const before = kits();
    const run = airGapKit.update(context(), state, inputsOf("v2", given, page));
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toThrow(
      `a kit of the file ${join(folder, "v2.tar.gz")} to ${join(folder, "kits")}: `,
    );
    await expect(run).rejects.toThrow(/stays as it is/);
    expect(kits()).toEqual(before);
  });

  test("in a folder that can never be created", async () => {
    const run = airGapKit.create(context(), inputsOf("v1", { folder: join(folder, "v1.tar.gz/kits") }));
    await expect(run).rejects.toThrow(/the folder .* cannot be used: ENOTDIR/);
  });
});

test.each<[string, object, string]>([
  ["keep", { keep: 3 }, "SETTINGS: keep changed: recorded"],
  ["limits that it is within", { limits: { files: 50 } }, "SETTINGS: limits changed"],
  [
    "limits that it is over",
    { limits: { archiveBytes: 10 } },
    "NEW_CONTENT: the bundle of the kit exceeds its limits",
  ],
  ["values", { values: { replicas: 3 } }, "NEW_CONTENT: values changed"],
  ["platforms", { platforms: ["linux/arm64"] }, "NEW_CONTENT: platforms changed"],
  ["images", { images: ["nginx:1"] }, "NEW_CONTENT: images changed"],
  ["partSize", { partSize: 2 ** 20 }, "NEW_CONTENT: partSize changed"],
  ["since", { since: "a" }, "NEW_CONTENT: since changed"],
])("a change of %s is decided without any request", async (_, given, text) => {
  const state = await airGapKit.create(context(), inputsOf("v1"));
  expect(verdict(inputsOf("v1", given), state)).toEqual(decided(`^${text}`));
});

test("a destroy also removes what a killed run left", async () => {
  const inputs = inputsOf("v1");
  const state = await airGapKit.create(context(), inputs);
  const draft = await claimDraft(join(folder, "kits"), draftOwner(context(), inputs), context().reporter);
  writeFileSync(join(draft.blobs, "a".repeat(64)), "x");
  await draft.release();
  expect(kits()).toHaveLength(2);
  await airGapKit.remove(context(), state);
  expect(left()).toEqual([]);
});

test("it has no lookup", async () => {
  await expect(airGapKit.lookUp(context(), "./kits", {})).rejects.toThrow("declare it");
  await expect(airGapKit.import(context(), "./kits")).rejects.toThrow(
    /^\.\/kits: an AirGapKit cannot be imported: a kit .* use a BundleCopy of its file\.$/,
  );
});

describe("an unusable folder", () => {
  // a kit in it, and then a file in place of the folder
  async function spoiled(): Promise<AirGapKitState> {
    const first = await airGapKit.create(context(), inputsOf("v1"));
    const state = await airGapKit.update(context(), first, inputsOf("v2"));
    rmSync(join(folder, "kits"), { recursive: true });
    writeFileSync(join(folder, "kits"), "");
    return state;
  }

  test("fails a refresh, and leaves the state", async () => {
    const state = await spoiled();
    await expect(airGapKit.read(context(), state)).rejects.toThrow(
      /^.*kits\/v2-\w{12}: the folder .* cannot be used: ENOTDIR.*The state is unchanged\./,
    );
  });

  test("fails a destroy, which says how to leave the kits where they are", async () => {
    const state = await spoiled();
    await expect(airGapKit.remove(context(), state)).rejects.toThrow(
      /cannot be used: ENOTDIR.*with the option `retainOnDelete` they stay where they are/,
    );
  });

  test("keeps earlier kits in the state that should have been removed, with a warning", async () => {
    const first = await airGapKit.create(context(), inputsOf("v1"));
    const state = await airGapKit.update(context(), first, inputsOf("v2"));
    // the record of the kit cannot be removed
    const record = join(folder, "kits", MARKS_FOLDER, `${nameOf(first)}.json`);
    rmSync(record);
    mkdirSync(record);
    const after = await airGapKit.update(context(), state, { ...inputsOf("v2"), keep: 0 });
    expect(after.bookkeeping.kits).toEqual(state.bookkeeping.kits);
    expect(reporter.lines.warn).toEqual([
      expect.stringMatching(
        /^an earlier kit could not be removed: .*cannot be used: E(?:ISDIR|PERM).*The next `pulumi up` tries again/,
      ),
    ]);
    const stopped = airGapKit.update(context(AbortSignal.abort(new Error("stopped"))), state, {
      ...inputsOf("v2"),
      keep: 0,
    });
    await expect(stopped).rejects.toThrow("stopped");
  });
});
