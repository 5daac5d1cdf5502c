import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  beginDraft,
  draftPath,
  endedDrafts,
  removeDraft,
  removeDrafts,
  removeEndedDraft,
  removeOldDrafts,
  replaceFolder,
} from "../../../../../provider/base/runtime/files/drafts.ts";
import { freeName, ownName } from "../../../../../provider/base/runtime/files/ownerProcess.ts";
import { recordingReporter } from "../../../../simulation/recordingReporter.ts";
import { MODES, notOnWindows } from "../../../../systems.ts";

let folder: string;
let reporter = recordingReporter();
beforeEach(() => {
  reporter = recordingReporter();
  folder = mkdtempSync(join(tmpdir(), "drafts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

const KEY = "0123456789abcdef";
/** Of a process of another machine, which cannot be checked. */
const elsewhere = (): string => ownName().replace(/^[0-9a-f]+/, "fedcba9876543210");

function make(path: string, seconds?: number): string {
  mkdirSync(path);
  if (seconds !== undefined) utimesSync(path, seconds, seconds);
  return path;
}
const left = (paths: readonly string[]): boolean[] => paths.map((path) => existsSync(path));

test("a draft is hidden, empty and its process's own, in a folder that is created for it", async () => {
  const draft = await beginDraft(join(folder, "a/b"), reporter);
  expect(readdirSync(draft)).toEqual([]);
  expect(readdirSync(join(folder, "a/b"))).toEqual([basename(draft)]);
  expect(basename(draft)).toBe(`.docs-hosting-${basename(draft).split("-").slice(2).join("-")}`);
  expect(basename(draft)).toContain(`-${process.pid}-`);
  expect(await beginDraft(join(folder, "a/b"), reporter)).not.toBe(draft);
  expect(existsSync(draft)).toBe(true);
});

test("the next draft removes one of an ended process; those of living processes, other machines and other resources stay", async () => {
  const ended = [
    make(draftPath(folder, undefined, freeName())),
    make(draftPath(folder, undefined, freeName())),
  ];
  const others = [
    make(`${draftPath(folder, undefined, freeName())}.bak`),
    make(join(folder, `a${basename(draftPath(folder, undefined, freeName()))}`)),
    make(draftPath(folder)),
    make(draftPath(folder, undefined, elsewhere())),
    make(draftPath(folder, KEY, freeName())),
    make(join(folder, ".docs-hosting-0123456789abc.draft")), // of an earlier release
    make(join(folder, "x.draft")),
  ];
  const files = join(ended[0] ?? "", "site");
  make(files);
  writeFileSync(join(files, "index.html"), "");
  await beginDraft(folder, reporter);
  expect(left(ended)).toEqual([false, false]);
  expect(left(others)).not.toContain(false);
});

test("drafts of a resource are its own", async () => {
  const [own, other] = [
    make(draftPath(folder, KEY, freeName())),
    make(draftPath(folder, undefined, freeName())),
  ];
  make(draftPath(folder, KEY));
  expect(await endedDrafts(folder, reporter, KEY)).toEqual([own]);
  await removeDrafts(folder, reporter, KEY);
  expect(left([own, other])).toEqual([false, true]);
  expect(await endedDrafts(join(folder, "none"), reporter)).toEqual([]);
});

test("after a day by the file system's clock every draft is removed, except those of living processes", async () => {
  const now = make(join(folder, "now"), 1_000_000);
  const [day, living] = [1_000_000 - 24 * 3_600, make(draftPath(folder), 1)];
  const old = [
    make(join(folder, ".docs-hosting-0123456789abc.draft"), day - 1),
    make(draftPath(folder, undefined, elsewhere()), day - 1),
    make(join(folder, `.docs-hosting-${KEY}.${elsewhere()}.kit`), day - 1),
  ];
  const young = [
    make(draftPath(folder, KEY, elsewhere()), day),
    make(draftPath(folder, KEY, freeName()), day),
  ];
  await removeOldDrafts(folder, now, reporter);
  expect(left(old)).toEqual([false, false, false]);
  expect(left([living, ...young])).toEqual([true, true, true]);
});

test("a folder replaces anything at its path", async () => {
  const draft = await beginDraft(folder, reporter);
  for (const [index, before] of ["nothing", "a file", "a folder"].entries()) {
    const to = join(folder, "place");
    if (before === "a file") {
      rmSync(to, { recursive: true });
      writeFileSync(to, "");
    }
    const from = make(join(folder, "from"));
    writeFileSync(join(from, String(index)), "");
    await replaceFolder(from, to, make(join(draft, String(index))));
    expect(readdirSync(to)).toEqual([String(index)]);
    expect(existsSync(from)).toBe(false);
  }
});

test("several processes that replace it with the same folder at once all succeed, and leave nothing else", async () => {
  const to = join(folder, "to");
  const isThere = (): Promise<boolean> => Promise.resolve(existsSync(join(to, "file")));
  const put = async (): Promise<void> => {
    const draft = await beginDraft(folder, reporter);
    writeFileSync(join(make(join(draft, "site")), "file"), "");
    await replaceFolder(join(draft, "site"), to, draft, { isDone: isThere });
    await removeDraft(draft);
  };
  await Promise.all(Array.from({ length: 20 }, put));
  expect(readdirSync(folder)).toEqual(["to"]);
  expect(readdirSync(to)).toEqual(["file"]);
});

test("a folder with the same content is left where it is", async () => {
  writeFileSync(join(make(join(folder, "to")), "theirs"), "");
  await replaceFolder(make(join(folder, "from")), join(folder, "to"), folder, {
    isDone: () => Promise.resolve(true),
  });
  expect(readdirSync(join(folder, "to"))).toEqual(["theirs"]);
});

test("a folder that was replaced does not come back when the run fails later, and somebody has removed what replaced it", async () => {
  const draft = await beginDraft(folder, reporter);
  const to = make(join(folder, "to"));
  writeFileSync(join(to, "before"), "");
  writeFileSync(join(to, "theirs"), "");
  await replaceFolder(make(join(draft, "site")), to, draft, { foreignIn: () => Promise.resolve(["theirs"]) });
  expect(readdirSync(to)).toEqual(["theirs"]);
  rmSync(to, { recursive: true });
  await removeEndedDraft(draft, reporter);
  expect(readdirSync(folder)).toEqual([]);
  expect(reporter.lines.info).toEqual([]);
});

test("files of others in a folder that was moved away reach the one that another process has made meanwhile", async () => {
  const draft = await beginDraft(folder, reporter);
  const to = make(join(folder, "to"));
  writeFileSync(join(to, "theirs"), "");
  let calls = 0;
  await replaceFolder(make(join(draft, "site")), to, join(folder, "no-draft"), {
    foreignIn: () => Promise.resolve(["theirs"]),
    isDone: () => {
      if (++calls === 2) rmSync(join(to, "theirs")); // the other process has moved it to its draft
      return Promise.resolve(calls === 2);
    },
  });
  expect(readdirSync(to)).toEqual(["theirs"]);
});

test("a replacement that fails is an error", async () => {
  await expect(replaceFolder(join(folder, "none"), join(folder, "to"), folder)).rejects.toThrow("ENOENT");
  writeFileSync(join(folder, "file"), "");
  const within = replaceFolder(make(join(folder, "from")), join(folder, "file/to"), folder);
  await expect(within).rejects.toThrow("ENOTDIR");
});

test("a replacement that fails leaves the existing folder", async () => {
  writeFileSync(join(make(join(folder, "to")), "theirs"), "");
  await expect(replaceFolder(join(folder, "none"), join(folder, "to"), folder)).rejects.toThrow("ENOENT");
  expect(readdirSync(join(folder, "to"))).toEqual(["theirs"]);
});

test("a path that others fill repeatedly is given up after nine tries", async () => {
  const [from, to] = [make(join(folder, "from")), join(folder, "to")];
  writeFileSync(join(make(to), "theirs"), "");
  let calls = 0;
  const isDone = (): Promise<boolean> => Promise.resolve(++calls === 20);
  // the existing folder never leaves, as if it were recreated at once
  await expect(replaceFolder(from, to, join(folder, "no-draft"), { isDone })).rejects.toThrow("ENOTEMPTY");
  expect(calls).toBe(8);
  expect(readdirSync(to)).toEqual(["theirs"]);
});

test("a folder that a killed process moved into its draft comes back before the draft is removed, with files of others", async () => {
  const draft = make(draftPath(folder, undefined, freeName()));
  for (const [number, name] of ["site", "kit"].entries()) {
    const replaced = join(draft, ...(name === "kit" ? ["scratch"] : []), `replaced-${number + 1}-${name}`);
    mkdirSync(replaced, { recursive: true });
    writeFileSync(join(replaced, "robots.txt"), "theirs");
    writeFileSync(join(replaced, "index.html"), "before");
  }
  // another process has published it meanwhile
  writeFileSync(join(make(join(folder, "kit")), "index.html"), "now");
  await removeDrafts(folder, reporter);
  expect(readdirSync(folder).sort()).toEqual(["kit", "site"]);
  expect(["site", "kit"].map((name) => readdirSync(join(folder, name)).sort())).toEqual([
    ["index.html", "robots.txt"],
    ["index.html", "robots.txt"],
  ]);
  expect(readFileSync(join(folder, "kit", "index.html"), "utf8")).toBe("now");
});

test("nobody else can change what is in a draft", async (context) => {
  notOnWindows(context, MODES);
  expect(statSync(await beginDraft(folder, reporter)).mode & 0o777).toBe(0o700);
});

/** What somebody who may write to the folder puts into a draft that looks like one of an ended process. */
const PUT: Readonly<Record<string, (draft: string, elsewhere: string) => string>> = {
  "files that would come back into the parent folder": (draft) => {
    writeFileSync(join(make(join(draft, "replaced-1-..")), "new"), "attack");
    return "no run makes replaced-1-..";
  },
  "files that would come back into the folder itself": (draft) => {
    writeFileSync(join(make(join(draft, "replaced-2-.")), "new"), "attack");
    return "no run makes replaced-2-.";
  },
  "the same in the folder for temporary files": (draft) => {
    writeFileSync(join(make(join(make(join(draft, "scratch")), "replaced-1-..")), "new"), "attack");
    return "no run makes replaced-1-..";
  },
  "a link at its top": (draft, elsewhere) => {
    symlinkSync(elsewhere, join(draft, "scratch"));
    writeFileSync(join(make(join(elsewhere, "replaced-1-site")), "new"), "attack");
    return "it has a link, scratch";
  },
};

test.for(Object.keys(PUT))(
  "a draft is left alone, and a line names it, if it has %s",
  async (what, context) => {
    notOnWindows(context, "a link needs rights there");
    const elsewhere = make(join(folder, "elsewhere"));
    const place = make(join(folder, "place"));
    make(join(place, "site"));
    const draft = make(draftPath(place, undefined, freeName()));
    const reason = PUT[what]?.(draft, elsewhere) ?? "";
    const before = readdirSync(folder, { recursive: true });
    expect(await endedDrafts(place, reporter)).toEqual([]);
    await removeDrafts(place, reporter);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    expect(new Set(reporter.lines.info)).toEqual(
      new Set([`${draft} is left alone: ${reason}. Remove it when nobody needs it`]),
    );
  },
);

test("files do not come back through a link, and stay in the draft, which a line names", async (context) => {
  notOnWindows(context, "a link needs rights there");
  const elsewhere = make(join(folder, "elsewhere"));
  for (const target of ["site", "kit"]) {
    const draft = make(draftPath(folder, undefined, freeName()));
    mkdirSync(join(draft, `replaced-1-${target}`, "deep"), { recursive: true });
    writeFileSync(join(draft, `replaced-1-${target}`, "deep", "page"), "theirs");
    if (target === "site") symlinkSync("elsewhere", join(folder, target));
    else symlinkSync(elsewhere, join(make(join(folder, target)), "deep"));
    await removeDrafts(folder, reporter);
    expect([readdirSync(elsewhere), existsSync(join(draft, `replaced-1-${target}`, "deep/page"))]).toEqual([
      [],
      true,
    ]);
    expect(reporter.lines.info).toContainEqual(
      expect.stringContaining(`${draft} stays: what it has of others cannot be put back: EEXIST`),
    );
  }
});

test("a link in the place of a draft is removed, and not what it leads to", async (context) => {
  notOnWindows(context, "a link needs rights there");
  writeFileSync(join(make(join(folder, "elsewhere")), "file"), "");
  symlinkSync("elsewhere", draftPath(folder, undefined, freeName()));
  await removeDrafts(folder, reporter);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["elsewhere", "elsewhere/file"]);
});

test.skipIf(process.getuid?.() !== 0)(
  "drafts of another user stay: an ended one, an old one, a link (only root can make them)",
  async () => {
    const now = make(join(folder, "now"), 1_000_000);
    const theirs = [
      make(draftPath(folder, undefined, freeName())),
      make(draftPath(folder, KEY, elsewhere()), 1),
      make(draftPath(folder, KEY, freeName()), 1),
    ];
    for (const path of theirs) chownSync(path, 65_534, 65_534);
    await removeDrafts(folder, reporter);
    await removeOldDrafts(folder, now, reporter);
    expect(left(theirs)).toEqual([true, true, true]);
    expect(await endedDrafts(folder, reporter, KEY)).toEqual([]);
    for (const path of theirs) {
      expect(reporter.lines.info).toContain(
        `${path} is left alone: another user made it. Remove it when nobody needs it`,
      );
    }
  },
);

test("empty folders of others come back with their files, and move to a folder that replaces theirs", async () => {
  const draft = make(draftPath(folder, undefined, freeName()));
  mkdirSync(join(draft, "replaced-1-site", "uploads"), { recursive: true });
  make(join(folder, "site"));
  await removeDrafts(folder, reporter);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["site", "site/uploads"]);
  await replaceFolder(make(join(folder, "from")), join(folder, "site"), make(join(folder, "draft")), {
    foreignIn: () => Promise.resolve(["uploads/"]),
  });
  expect(readdirSync(join(folder, "site"))).toEqual(["uploads"]);
});

test("files that a link leads to do not come back into a published folder", async (context) => {
  notOnWindows(context, "a link needs rights there");
  const draft = make(draftPath(folder, undefined, freeName()));
  writeFileSync(join(make(join(folder, "elsewhere")), "secret"), "");
  symlinkSync(join(folder, "elsewhere"), join(make(join(draft, "scratch")), "replaced-1-kit"));
  make(join(folder, "kit"));
  await removeDrafts(folder, reporter);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(["elsewhere", "elsewhere/secret", "kit"]);
});
