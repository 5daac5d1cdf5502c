import { readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { SYSTEMS } from "./fetchRun.ts";
import { podBesideStore } from "./podBesideStore.ts";
import { render, serving } from "./renderedChart.ts";
import { tarGz } from "./tarArchive.ts";
import { WebServer } from "./webServer.ts";

/** As OpenShift's `restricted-v2` has it: a high number without an entry in any file, and the group of root. */
const ARBITRARY_USER = { uid: 1_000_680_000, gid: 0 };

test.for(shortened(SYSTEMS))(
  "any user of group 0 fetches and serves the site (%s)",
  async (system, context) => {
    if (process.getuid?.() !== 0) return context.skip("only root can run a program as another user");
    const files = { "index.html": "<h1>Start</h1>", "folder/page.html": "<h1>Page</h1>" };
    const { pod } = await podBesideStore(
      context,
      system,
      tarGz(Object.entries(files).map(([name, content]) => ({ name, content }))),
      ARBITRARY_USER,
    );
    const { code, log } = await pod.fetch();
    expect(log).not.toMatch(/denied|cannot|not permitted/i);
    expect(code).toBe(0);
    expect(pod.served()).toEqual(files);
    expect(statSync(join(pod.site, "active/index.html")).uid).toBe(ARBITRARY_USER.uid);

    const server = new WebServer();
    context.onTestFinished(() => server.remove());
    symlinkSync(pod.site, join(server.root, "site"));
    await server.start(await render(serving({ openshift: true })), {}, ARBITRARY_USER);
    expect((await server.get("/folder/page")).body.toString()).toBe("<h1>Page</h1>");
    expect(usersOf(readFileSync(join(server.root, "tmp/nginx.pid"), "utf8").trim())).toEqual([
      ARBITRARY_USER.uid,
    ]);
    expect(server.output).not.toMatch(/\[(?:warn|error|emerg|alert)\]/);
  },
);

/** The users of the process and its children. */
function usersOf(pid: string): number[] {
  const statuses = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/status`, "utf8");
      } catch {
        return ""; // it ended meanwhile
      }
    })
    .filter((status) => new RegExp(`^(?:Pid|PPid):\\s*${pid}$`, "m").test(status));
  expect(statuses.length).toBeGreaterThan(1);
  return [...new Set(statuses.map((status) => Number(/^Uid:\s*(\d+)/m.exec(status)?.[1])))];
}
