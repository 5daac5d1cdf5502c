// commit.sh of examples/fleet/gitops in checkouts that cannot push. test/chart/fleetGitops.test.ts runs it in those that can.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { notOnWindows, POSIX_PROGRAMS } from "../../systems.ts";

const SCRIPT = join(import.meta.dirname, "../../../examples/fleet/gitops/commit.sh");
const env = {
  ...process.env,
  GIT_AUTHOR_NAME: "ci",
  GIT_AUTHOR_EMAIL: "ci@example.com",
  GIT_COMMITTER_NAME: "ci",
  GIT_COMMITTER_EMAIL: "ci@example.com",
  GIT_CONFIG_GLOBAL: "/nonexistent",
};
const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, ...args], { encoding: "utf8", env, stdio: "pipe" });

let origin: string;
let own: string;
beforeEach(async (context) => {
  notOnWindows(context, POSIX_PROGRAMS);
  const folder = await mkdtemp(join(tmpdir(), "releases-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  [origin, own] = [join(folder, "origin.git"), join(folder, "own")];
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch", "main", origin]);
  execFileSync("git", ["clone", "--quiet", origin, own], { stdio: "ignore" });
  git(own, "commit", "--quiet", "--allow-empty", "--message", "begin");
  git(own, "push", "--quiet", "origin", "HEAD:main");
  git(own, "fetch", "--quiet");
  git(own, "branch", "--quiet", "--set-upstream-to", "origin/main");
});

function commit(text: string): { status: number | null; stdout: string; stderr: string } {
  const folder = join(own, "team-a-01");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "guide.yaml"), text);
  return spawnSync("sh", [SCRIPT, folder, "Sites of team-a"], { encoding: "utf8", env });
}
const pushed = (): string => git(origin, "log", "-1", "--format=%s", "main").trim();

test("a checkout of a commit without its branch is an error, each time, and nothing is committed there", () => {
  git(own, "checkout", "--quiet", "--detach");
  for (let run = 1; run <= 2; run++) {
    const { status, stdout, stderr } = commit("one");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("the checkout has no branch (detached HEAD)");
  }
  expect(git(own, "log", "-1", "--format=%s").trim()).toBe("begin");
  git(own, "switch", "--quiet", "main");
  expect(commit("one").status).toBe(0);
  expect(pushed()).toBe("Sites of team-a");
});

test("a branch that follows no other is an error that says how to set it", () => {
  git(own, "switch", "--quiet", "--create", "mine");
  const { status, stderr } = commit("one");
  expect(status).toBe(1);
  expect(stderr).toContain("the branch mine has no upstream");
});

test("a commit that an earlier run could not push is pushed by the next one, although nothing changed since", () => {
  const folder = join(own, "team-a-01");
  mkdirSync(folder);
  writeFileSync(join(folder, "guide.yaml"), "one");
  git(own, "add", "--all");
  git(own, "commit", "--quiet", "--message", "not pushed yet");
  expect(commit("one")).toMatchObject({ status: 0, stdout: "" });
  expect(pushed()).toBe("not pushed yet");
  expect(commit("one")).toMatchObject({ status: 0, stdout: "nothing changed\n" });
});
