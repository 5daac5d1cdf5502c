// Copies in a folder: the leftovers of failures, files of others, and stops.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { draftPath } from "../../../../../provider/base/runtime/files/drafts.ts";
import { freeName } from "../../../../../provider/base/runtime/files/ownerProcess.ts";
import { DeadlineExceededError } from "../../../../../provider/base/runtime/messages/errors.ts";
import { Secrets } from "../../../../../provider/base/runtime/messages/secrets.ts";
import { startDeadline } from "../../../../../provider/base/runtime/time/clock.ts";
import type {
  Copy,
  DestinationContext,
  Draft,
} from "../../../../../provider/publishing/destinations/destination.ts";
import type { Bundle } from "../../../../../provider/publishing/inspection/bundle.ts";
import { RECORDS_FOLDER as MARKS_FOLDER } from "../../../../../provider/publishing/ownership/placeMark.ts";
import { draftingDestination } from "../../../../simulation/draftingDestination.ts";
import { OWNER } from "../../../../simulation/owners.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";
import { VirtualClock } from "../../../../simulation/virtualClock.ts";

let root: string;
let folder: string;
let reporter: ReturnType<typeof recordingReporter>;
let stop: AbortController;
let context: DestinationContext;
let bundle: Bundle;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "folder-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  folder = join(root, "www");
  reporter = recordingReporter();
  stop = new AbortController();
  const clock = new VirtualClock();
  context = {
    fetch: () => Promise.reject(new Error("no request is expected")),
    clock,
    reporter,
    secrets: new Secrets(),
    signal: stop.signal,
    deadline: startDeadline(clock, 60_000),
    environment: () => undefined,
    scratch: () => Promise.resolve(root),
    owner: OWNER,
  };
  writeFileSync(join(root, "bundle.tar.gz"), "an archive");
  const sha256 = createHash("sha256").update("an archive").digest("hex");
  bundle = { path: join(root, "bundle.tar.gz"), format: "tar.gz", sha256, size: 10, version: "v1" };
});

const FILES: Readonly<Record<string, string>> = {
  "index.html": "<h1>Docs</h1>",
  "guide/a.html": "a",
  ["__proto__"]: "p",
};
const site = () => draftingDestination({ folder, layout: "site" });
const archive = () => draftingDestination({ folder });
const names = (): string[] => readdirSync(folder).sort();
const inSite = (...path: string[]): string => join(folder, bundle.sha256, ...path);

async function put(draft: Draft, files = FILES): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await draft.sink?.file({ path, size: text.length }, Readable.from([Buffer.from(text)]));
  }
}

async function publish(): Promise<Copy> {
  const draft = await site().begin(bundle, context);
  await put(draft);
  return draft.publish();
}

describe("a site in a folder", () => {
  test("is its files, a list of them and a link, and nothing more; it is found again", async () => {
    const copy = await publish();
    expect(names()).toEqual([MARKS_FOLDER, bundle.sha256, `${bundle.sha256}.json`, "current"]);
    expect(readFileSync(join(folder, "current/guide/a.html"), "utf8")).toBe("a");
    expect(await site().compare(copy, context)).toBe("same");
    expect(copy.sitePath).toBe(join(folder, "current"));
    expect(await publish()).toEqual(copy);
    await site().release([copy], context);
    expect(names()).toEqual([]);
    expect(await site().compare(copy, context)).toBe("gone");
    expect(reporter.lines.warn).toEqual([]);
  });

  test("that is abandoned midway leaves nothing", async () => {
    const draft = await site().begin(bundle, context);
    await put(draft);
    expect(names()).toHaveLength(2);
    await draft.abandon?.();
    await draft.abandon?.();
    expect(names()).toEqual([]);
  });

  test("of which a file cannot be written is not published, and leaves nothing", async () => {
    const draft = await site().begin(bundle, context);
    const write = (path: string) => draft.sink?.file({ path, size: 1 }, Readable.from([Buffer.from("x")]));
    await write("guide");
    await Promise.resolve(write("guide/a.html")).catch(() => undefined); // a file is in the place of its folder
    await expect(draft.publish()).rejects.toThrow(`the folder ${folder} cannot be used: E`);
    await draft.abandon?.();
    expect(names()).toEqual([]);
  });

  test.each(["publishes", "destroys"])(
    "loses the draft of an ended process when the next run %s",
    async (what) => {
      const copy = await publish();
      const ended = draftPath(folder, undefined, freeName());
      mkdirSync(join(ended, "site"), { recursive: true });
      if (what === "publishes") await publish();
      else await site().release([copy], context);
      expect(existsSync(ended)).toBe(false);
    },
  );

  test("that is published several times at once exists once, and every run succeeds", async () => {
    const copies = await Promise.all(Array.from({ length: 10 }, publish));
    expect(new Set(copies.map(({ uri }) => uri)).size).toBe(1);
    expect(names()).toEqual([MARKS_FOLDER, bundle.sha256, `${bundle.sha256}.json`, "current"]);
    for (const copy of copies) expect(await site().compare(copy, context)).toBe("same");
  });

  test("keeps files that others put into it when it is removed, and a line names them", async () => {
    const copy = await publish();
    writeFileSync(inSite("guide/notes.txt"), "mine");
    writeFileSync(inSite("index.html"), "mine");
    expect(await site().compare(copy, context)).toBe("changed");
    await site().release([copy], context);
    expect(names()).toEqual([bundle.sha256]);
    expect(readFileSync(inSite("guide/notes.txt"), "utf8")).toBe("mine");
    expect(reporter.lines.warn).toEqual([
      `${inSite()} stays: it has files that this copy did not write or that were changed since: guide/notes.txt, index.html. ` +
        "Remove them when they are no longer needed",
    ]);
  });

  test("names three of many files of others", async () => {
    const copy = await publish();
    for (const name of ["1", "2", "3", "4"]) writeFileSync(inSite(name), "");
    await site().release([copy], context);
    expect(reporter.lines.warn).toEqual([expect.stringContaining(": 1, 2, 3 and 1 more. Remove")]);
  });

  test.each(["gone", "no list"])(
    "stays as a whole when its list is %s, because the owners of its files are unknown",
    async (how) => {
      const copy = await publish();
      if (how === "gone") rmSync(`${inSite()}.json`);
      else writeFileSync(`${inSite()}.json`, "mine");
      expect(await site().compare(copy, context)).toBe("changed");
      await site().release([copy], context);
      expect(readdirSync(inSite())).toHaveLength(3);
      expect(reporter.lines.warn).toHaveLength(1);
      expect(existsSync(`${inSite()}.json`)).toBe(how === "no list");
    },
  );

  test("whose list somebody replaced is completed as long as the state has it", async () => {
    const copy = await publish();
    writeFileSync(`${inSite()}.json`, "mine");
    const draft = await site().begin(bundle, context, bundle.sha256, [copy]);
    await put(draft);
    await draft.publish();
    expect(await site().compare(copy, context)).toBe("same");
  });

  test("is kept where a kept copy has it, and the link where it leads to another", async () => {
    const copy = await publish();
    await site().prune([copy], [copy], context);
    expect(await site().compare(copy, context)).toBe("same");
    rmSync(join(folder, "current"));
    symlinkSync("f".repeat(64), join(folder, "current"));
    expect(await site().compare(copy, context)).toBe("changed");
    await site().release([copy], context);
    expect(names()).toEqual(["current"]);
  });

  test("leaves a folder of others in place of the link", async () => {
    const copy = await publish();
    rmSync(join(folder, "current"));
    mkdirSync(join(folder, "current"));
    expect(await site().compare(copy, context)).toBe("changed");
    await expect(publish()).rejects.toThrow("exists already, and is not a link to a copy");
    await site().release([copy], context);
    expect(names()).toEqual(["current"]);
  });

  test("leaves a link of others", async () => {
    mkdirSync(folder);
    symlinkSync("releases/7", join(folder, "current"));
    await expect(publish()).rejects.toThrow("exists already, and is not a link to a copy");
    expect(names()).toEqual(["current"]);
  });

  test("leaves what somebody made in place of the link while it was unpacked, and is not visible", async () => {
    const draft = await site().begin(bundle, context);
    await put(draft);
    writeFileSync(join(folder, "current"), "mine");
    await expect(draft.publish()).rejects.toThrow("exists already, and is not a link to a copy");
    await draft.abandon?.();
    expect(readFileSync(join(folder, "current"), "utf8")).toBe("mine");
    expect(names()).toEqual(["current"]);
  });

  test("leaves what somebody made in place of the link while the site got its name", async () => {
    const draft = await site().begin(bundle, context);
    await put(draft);
    const made = draft.publish(() => symlinkSync("releases/7", join(folder, "current")));
    await expect(made).rejects.toThrow("exists already, and is not a link to a copy");
    expect(readlinkSync(join(folder, "current"))).toBe("releases/7");
  });

  test("leaves a file of others that has the name of its list", async () => {
    mkdirSync(folder);
    writeFileSync(`${inSite()}.json`, '{"name":"docs"}');
    await expect(publish()).rejects.toThrow(`${bundle.sha256}.json exists already, and is not the list of a`);
    expect(names()).toEqual([`${bundle.sha256}.json`]);
    rmSync(`${inSite()}.json`);
    const draft = await site().begin(bundle, context);
    await put(draft);
    writeFileSync(`${inSite()}.json`, '{"name":"docs"}');
    await expect(draft.publish()).rejects.toThrow("is not the list of a copy's files");
    expect(readFileSync(`${inSite()}.json`, "utf8")).toBe('{"name":"docs"}');
  });

  test("replaces a changed copy", async () => {
    const copy = await publish();
    rmSync(inSite("index.html"));
    await publish();
    expect(await site().compare(copy, context)).toBe("same");
    expect(names()).toHaveLength(4);
  });
});

describe.for(["site", "archive"] as const)("a destroy of the layout %s", (layout) => {
  const digest = "c".repeat(64);
  test.for([
    { architecture: "amd64", os: "linux" }, // as `docker save` unpacks it
    [digest],
    {},
    { "index.html": digest, size: 7 },
    { "../index.html": digest },
    { "/etc/passwd": digest },
    null,
  ])("leaves a file of others that is named after a digest: %j", async (content) => {
    mkdirSync(folder);
    writeFileSync(join(folder, `${digest}.json`), JSON.stringify(content));
    const target = layout === "site" ? site() : archive();
    const draft = await target.begin(bundle, context);
    await put(draft);
    const copy = await draft.publish();
    await target.release([copy], context);
    expect(reporter.lines.warn).toEqual([]);
    expect(names()).toEqual([`${digest}.json`]);
  });
});

describe("an archive in a folder", () => {
  const publishArchive = async (): Promise<Copy> => (await archive().begin(bundle, context)).publish();

  test("is removed with the leftovers of ended processes, and kept where a kept copy has it", async () => {
    mkdirSync(folder);
    writeFileSync(draftPath(folder, undefined, freeName()), "half an archive");
    const copy = await publishArchive();
    expect(names()).toEqual([MARKS_FOLDER, `${bundle.sha256}.tar.gz`]);
    writeFileSync(draftPath(folder, undefined, freeName()), "half an archive");
    await archive().prune([copy], [copy], context);
    expect(names()).toEqual([MARKS_FOLDER, `${bundle.sha256}.tar.gz`]);
    await archive().release([copy, copy], context);
    expect(names()).toEqual([]);
  });

  test.each<[string, () => void]>([
    ["replaced", () => writeFileSync(join(folder, `${bundle.sha256}.tar.gz`), "mine")],
    [
      "replaced by a link",
      () => {
        renameSync(join(folder, `${bundle.sha256}.tar.gz`), join(root, "elsewhere"));
        symlinkSync(join(root, "elsewhere"), join(folder, `${bundle.sha256}.tar.gz`));
      },
    ],
  ])("that somebody has %s stays, and a line names it", async (_, replace) => {
    const copy = await publishArchive();
    replace();
    await archive().release([copy], context);
    expect(names()).toEqual([`${bundle.sha256}.tar.gz`]);
    expect(reporter.lines.warn).toEqual([
      `${join(folder, `${bundle.sha256}.tar.gz`)} is not removed: it is not the archive that this copy wrote. Remove it when it is no longer needed`,
    ]);
  });

  test("whose file changed meanwhile is an error, and leaves nothing", async () => {
    writeFileSync(bundle.path, "another");
    await expect(publishArchive()).rejects.toThrow("changed while it was copied");
    expect(names()).toEqual([]);
  });
});

describe("at the time limit", () => {
  const LIMIT = new DeadlineExceededError("the time limit passed", "");
  /** An endless file, during which the limit passes. */
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (let blocks = 0; ; blocks++) {
      if (blocks === 3) stop.abort(LIMIT);
      if (blocks === 50) throw new Error("read on after the time limit");
      yield await Promise.resolve(Buffer.alloc(1_000));
    }
  }

  test("unpacking ends with the limit as the reason", async () => {
    const draft = await site().begin(bundle, context);
    await expect(draft.sink?.file({ path: "film.mp4", size: 1e9 }, endless())).rejects.toBe(LIMIT);
    await expect(draft.publish()).rejects.toBe(LIMIT);
    await draft.abandon?.();
    expect(names()).toEqual([]);
  });

  test("comparing and removing end with it, too", async () => {
    const copies = [await publish(), await (await archive().begin(bundle, context)).publish()] as const;
    stop.abort(LIMIT);
    await expect(site().compare(copies[0], context)).rejects.toBe(LIMIT);
    await expect(site().release([copies[0]], context)).rejects.toBe(LIMIT);
    await expect(archive().compare(copies[1], context)).rejects.toBe(LIMIT);
    await expect(archive().release([copies[1]], context)).rejects.toBe(LIMIT);
    await expect((await archive().begin(bundle, context)).publish()).rejects.toBe(LIMIT);
    expect(names()).toEqual(
      [MARKS_FOLDER, bundle.sha256, `${bundle.sha256}.json`, `${bundle.sha256}.tar.gz`, "current"].sort(),
    );
  });
});

test("a folder that cannot be created is reported with its path and what to do", async () => {
  folder = join(root, "bundle.tar.gz/www");
  for (const destination of [site(), archive()]) {
    await expect(destination.begin(bundle, context).then((draft) => draft.publish())).rejects.toMatchObject({
      message: expect.stringMatching(
        /^the folder .*bundle\.tar\.gz\/www cannot be used: .*ENOTDIR/,
      ) as string,
      remedy: expect.stringContaining("is a file") as string,
    });
  }
});
