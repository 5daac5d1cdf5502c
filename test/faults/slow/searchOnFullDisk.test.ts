// A disk that has room for a site, but not for its search.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "tar";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../provider/base/runtime/time/clock.ts";
import { bundleCopy } from "../../../provider/copies/bundleCopy/lifeCycle.ts";
import { testContext } from "../../simulation/testContext.ts";
import { ownFolder } from "../downloads.ts";

/** A page of about 270 kB, with words that occur once. */
const PAGE = `<title>Words</title><p>${Array.from({ length: 30_000 }, (_, at) =>
  createHash("md5").update(String(at)).digest("hex").slice(0, 8),
).join(" ")}</p>`;

test("D10 a copy whose search does not fit on the disk publishes nothing; with room, the next run publishes site and search", async () => {
  const work = ownFolder();
  const disk = ownFolder();
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=400k", "none", disk]);
  onTestFinished(() => void execFileSync("umount", [disk]));
  const file = join(work, "site.tar.gz");
  mkdirSync(join(work, "site"));
  writeFileSync(join(work, "site/index.html"), PAGE);
  create({ file, cwd: join(work, "site"), gzip: true, portable: true, noMtime: true, sync: true }, ["."]);
  const context = testContext({
    fetch: () => Promise.reject(new Error("no request is expected")),
    clock: systemClock,
    configuration: {
      environment: (name) => (name === "PULUMI_HOME" ? join(work, "home") : undefined),
      stackConfig: () => undefined,
    },
  });
  const copies = join(disk, "copies");
  const { inputs, failures } = bundleCopy.check(
    {
      source: {
        file,
        version: "v1",
        fileSha256: createHash("sha256").update(readFileSync(file)).digest("hex"),
      },
      destination: { folder: copies, layout: "site" },
      offlineSearch: true,
    },
    context.configuration,
  );
  expect(failures).toEqual([]);

  await expect(bundleCopy.create(context, inputs)).rejects.toThrow("ENOSPC");
  expect(existsSync(join(copies, "current"))).toBe(false);
  expect(existsSync(copies) ? readdirSync(copies) : []).toEqual([]);

  execFileSync("mount", ["-o", "remount,size=8m", disk]);
  expect(await bundleCopy.create(context, inputs)).toMatchObject({ outputs: { searchPages: 1 } });
  expect(readFileSync(join(copies, "current/index.html"), "utf8")).toContain("docs-hosting-search");
});
