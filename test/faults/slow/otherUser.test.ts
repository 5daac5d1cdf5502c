// Another user of the machine who may write to a destination leads runs to files elsewhere, or lets them wait: by links, pipes, names
// with `..` and drafts. As root, which can act for that user.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../provider/base/runtime/time/clock.ts";
import { bundleCopy } from "../../../provider/copies/bundleCopy/lifeCycle.ts";
import { draftOwner } from "../../../provider/kits/airGapKit/draftOwner.ts";
import { airGapKit } from "../../../provider/kits/airGapKit/lifeCycle.ts";
import { MemoryNotes } from "../../simulation/memoryNotes.ts";
import { packedSite } from "../../simulation/packedSite.ts";
import { recordingReporter } from "../../simulation/recordingReporter.ts";
import { testContext } from "../../simulation/testContext.ts";

/** «nobody» of most systems. */
const OTHER_USER = 65_534;
/** An operation that takes longer hangs, in milliseconds. */
const HANGS_AFTER_MS = 20_000;

type Layout = "archive" | "site" | "kit";

interface Attack {
  readonly layouts: readonly Layout[];
  /** What a shell of the other user runs in the destination. `OUT` is the folder of the files elsewhere; `ITEM` is the published name. */
  readonly script: string;
  /** Before the first copy. @default after it */
  readonly isFirst?: boolean;
}

const ALL: readonly Layout[] = ["archive", "site", "kit"];
const DRAFT = ".docs-hosting-free-aaaaaaaa.draft";

const ATTACKS: Readonly<Record<string, Attack>> = {
  "the mark is a link to a file": {
    layouts: ALL,
    isFirst: true,
    script: `mkdir .docs-hosting && ln -s "$OUT/precious" .docs-hosting/owner.json`,
  },
  "the mark is a link to a file that does not exist": {
    layouts: ALL,
    isFirst: true,
    script: `mkdir .docs-hosting && ln -s "$OUT/writable/new" .docs-hosting/owner.json`,
  },
  "the folder of the mark is a link": {
    layouts: ALL,
    isFirst: true,
    script: `ln -s "$OUT/writable" .docs-hosting`,
  },
  "the mark is a pipe": {
    layouts: ALL,
    isFirst: true,
    script: `mkdir .docs-hosting && mkfifo .docs-hosting/owner.json`,
  },
  "the mark becomes a link to a file": {
    layouts: ALL,
    script: `mv .docs-hosting gone && mkdir .docs-hosting && ln -s "$OUT/precious" .docs-hosting/owner.json`,
  },
  "records become pipes, and one is a link": {
    layouts: ALL,
    script: `mv .docs-hosting gone && cp -r gone .docs-hosting && cd .docs-hosting &&
      for each in *; do case $each in owner.json) ;; *) rm -r "$each"; mkfifo "$each";; esac; done
      ln -s "$OUT/precious" 0123456789abcdef.json; ln -s "$OUT/writable" 0123456789abcdef`,
  },
  "a draft has files for the parent folder": {
    layouts: ALL,
    script: `mkdir -p ${DRAFT}/replaced-1-.. ${DRAFT}/scratch/replaced-2-.. &&
      echo new > ${DRAFT}/replaced-1-../new && echo new > ${DRAFT}/scratch/replaced-2-../new`,
  },
  "a draft has files for a link": {
    layouts: ALL,
    script: `ln -s "$OUT/writable" LINK && mkdir -p ${DRAFT}/replaced-1-LINK && echo new > ${DRAFT}/replaced-1-LINK/new`,
  },
  "a draft is a link, and its folder for temporary files is one": {
    layouts: ALL,
    script: `ln -s "$OUT/writable" .docs-hosting-free-bbbbbbbb.draft && mkdir ${DRAFT} && ln -s "$OUT/drafts" ${DRAFT}/scratch`,
  },
  "a draft of the same kit has links for its blobs": {
    layouts: ["kit"],
    script: `mkdir ".docs-hosting-$KEY.free-aaaaaaaa.draft" && cd ".docs-hosting-$KEY.free-aaaaaaaa.draft" &&
      ln -s "$OUT/writable" blobs && ln -s "$OUT/writable" kit && ln -s "$OUT/writable" scratch`,
  },
  "the list of a site's files is a pipe": {
    layouts: ["site"],
    script: `mv "$ITEM.json" gone && mkfifo "$ITEM.json"`,
  },
  "the list of a site's files is a link": {
    layouts: ["site"],
    script: `mv "$ITEM.json" gone && ln -s "$OUT/precious" "$ITEM.json"`,
  },
  "what was published is a link to a folder elsewhere": {
    layouts: ["site", "kit"],
    script: `mv "$ITEM" gone && ln -s "$OUT/copy" "$ITEM"`,
  },
  "what was published is a link to a file": {
    layouts: ["archive"],
    script: `mv "$ITEM" gone && ln -s "$OUT/precious" "$ITEM"`,
  },
  "what was published is a pipe": {
    layouts: ["archive"],
    script: `mv "$ITEM" gone && mkfifo "$ITEM"`,
  },
  "a file of what was published is a pipe, and a folder of it a link": {
    layouts: ["site", "kit"],
    script: `mv "$ITEM" gone && cp -r gone "$ITEM" && cd "$ITEM" && rm -rf SHA256SUMS index.html guide &&
      mkfifo SHA256SUMS && mkfifo index.html && ln -s "$OUT/copy" guide`,
  },
  "the link `current` leads elsewhere": {
    layouts: ["site"],
    script: `ln -sfn "$OUT/copy" current`,
  },
};

/** What a folder has: names, kinds, modes, owners and contents. */
function contentOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(folder, name);
      const { mode, uid, mtimeMs } = lstatSync(path);
      const isFile = lstatSync(path).isFile();
      return [name, mode, uid, mtimeMs, isFile ? readFileSync(path, "utf8") : ""].join(" ");
    });
}

/** @returns what the operation printed or threw; "hangs" */
async function ended(run: () => Promise<unknown>): Promise<string> {
  const limit = new Promise<string>((resolve) => setTimeout(() => resolve("hangs"), HANGS_AFTER_MS).unref());
  const done = run().then(
    () => "done",
    (error: unknown) => `failed: ${String(error)}`,
  );
  return Promise.race([done, limit]);
}

const cases = Object.entries(ATTACKS).flatMap(([name, attack]) =>
  attack.layouts.map((layout) => ({ name, layout, attack })),
);

test.for(cases)(
  "$layout: $name: no file elsewhere changes, and no run hangs",
  async ({ layout, attack }, context) => {
    context.skip(process.getuid?.() !== 0, "only root can act for another user");
    const root = mkdtempSync(join(tmpdir(), "other-user-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    chmodSync(root, 0o755);
    const [place, outside, home] = [join(root, "place"), join(root, "outside"), join(root, "home")];
    for (const folder of ["", "writable", "copy", "drafts/replaced-1-site"]) {
      mkdirSync(join(outside, folder), { recursive: true });
    }
    for (const file of [
      "precious",
      "copy/index.html",
      "copy/README.md",
      "writable/theirs",
      "drafts/replaced-1-site/new",
    ]) {
      writeFileSync(join(outside, file), `of the user: ${file}`);
    }
    for (const folder of [place, join(root, "work")]) mkdirSync(folder);
    chmodSync(place, 0o777);
    const before = contentOf(outside);

    const reporter = recordingReporter();
    const given = testContext({
      fetch: () => Promise.reject(new Error("nothing is fetched")),
      clock: systemClock,
      reporter,
      urn: "urn:pulumi:test::website::pulumi-nodejs:dynamic/docs-hosting:Any::docs",
      publicationRecords: new MemoryNotes(),
      configuration: {
        environment: (name) => (name === "PULUMI_HOME" ? home : undefined),
        stackConfig: () => undefined,
      },
    });
    const sourceOf = (version: string): object => ({
      ...packedSite(join(root, "work"), version, {
        "index.html": `<h1>${version}</h1>`,
        "guide/a.html": version,
      }),
      version,
    });
    const inputsOf = (version: string): Record<string, unknown> => ({
      source: sourceOf(version),
      keep: 0,
      ...(layout === "kit" ? { folder: place } : { destination: { folder: place, layout } }),
    });
    const life = (layout === "kit" ? airGapKit : bundleCopy) as typeof bundleCopy;
    const checked = (version: string) => {
      const { inputs, failures } = life.check(inputsOf(version), given.configuration);
      expect(failures).toEqual([]);
      return inputs;
    };
    const makeFirst = () => life.create(given, checked("v1"));
    const results: string[] = [];

    let state: Awaited<ReturnType<typeof makeFirst>> | undefined;
    if (attack.isFirst !== true) state = await makeFirst();
    const item = readdirSync(place).find((name) => !/^\.|\.json$|^current$/.test(name)) ?? "none";
    const key = layout === "kit" ? draftOwner(given, { folder: place }) : "";
    const env = {
      PATH: process.env["PATH"],
      OUT: outside,
      ITEM: item,
      KEY: createHash("sha256").update(key).digest("hex").slice(0, 16),
    };
    const attacked = spawnSync("sh", ["-e", "-c", attack.script], {
      cwd: place,
      env,
      uid: OTHER_USER,
      gid: OTHER_USER,
      encoding: "utf8",
    });
    expect([attacked.status, attacked.stderr]).toEqual([0, ""]);

    results.push(
      await ended(
        async () => (state = state ? await life.update(given, state, checked("v2")) : await makeFirst()),
      ),
    );
    const made = state;
    if (made) {
      results.push(await ended(() => life.read(given, made)));
      results.push(await ended(() => life.remove(given, made)));
    }
    expect(contentOf(outside)).toEqual(before);
    expect(readdirSync(root).filter((name) => !["home", "outside", "place", "work"].includes(name))).toEqual(
      [],
    );
    expect(results).not.toContain("hangs");
    if (process.env["SHOW"] !== undefined) console.log(layout, results, reporter.lines);
  },
);
