import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { notOnWindows, SIGNALS } from "../systems.ts";

const MAIN = join(import.meta.dirname, "../../examples/reference-service/main.ts");
const MARKDOWN = join(import.meta.dirname, "../../node_modules/fastify/docs");

let child: ChildProcess | undefined;

afterEach(() => child?.kill("SIGKILL"));

/** Starts the command; resolves with its output when it ends. */
function run(...args: string[]): {
  process: ChildProcess;
  ended: Promise<{ code: number | null; output: string }>;
} {
  const started = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  child = started;
  let output = "";
  for (const stream of [started.stdout, started.stderr]) {
    stream.on("data", (data: Buffer) => (output += String(data)));
  }
  return {
    process: started,
    ended: once(started, "close").then(([code]) => ({ code: code as number | null, output })),
  };
}

describe("npm run reference-service", () => {
  test.for(["SIGINT", "SIGTERM"] as const)(
    "prints its address, and exits successfully on %s",
    async (signal, context) => {
      notOnWindows(context, SIGNALS);
      const { process: service, ended } = run(
        "--port",
        "0",
        "--site",
        `docs.example.com=${MARKDOWN}`,
        "--key",
        "svc_local",
      );
      const [line] = (await once(service.stdout ?? service, "data")) as [Buffer];
      const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(String(line))?.[1];
      expect((await fetch(`${url ?? ""}/v1/static-export/jobs/job-1`)).status).toBe(401);
      service.kill(signal);
      expect(await ended).toEqual({ code: 0, output: String(line) });
    },
  );

  test("uses the key of REFERENCE_SERVICE_ADMIN_API_KEY where the arguments have none", async () => {
    vi.stubEnv("REFERENCE_SERVICE_ADMIN_API_KEY", "svc_from_environment");
    const { process: service } = run("--port", "0", "--site", `docs.example.com=${MARKDOWN}`);
    vi.unstubAllEnvs();
    const [line] = (await once(service.stdout ?? service, "data")) as [Buffer];
    const url = String(line).replace("listening on ", "").trim();
    const request = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${url}/v1/static-export/jobs/job-1`, { headers })).status;
    };
    expect([await request("svc_from_environment"), await request("svc_local")]).toEqual([404, 401]);
  });

  test("creates agents' jobs, which end by themselves", async () => {
    const site = `docs.example.com=${MARKDOWN}`;
    const jobs = ["--agent-job", "p/done=0", "--agent-job", "p/late=3600.5"];
    const { process: service } = run("--port", "0", "--site", site, "--key", "svc_local", ...jobs);
    const [line] = (await once(service.stdout ?? service, "data")) as [Buffer];
    const url = String(line).replace("listening on ", "").trim();
    const request = async (id: string) => {
      const headers = { authorization: "Bearer svc_local" };
      return (await (await fetch(`${url}/v2/agent/p/job/${id}`, { headers })).json()) as object;
    };
    expect(await request("done")).toMatchObject({ id: "done", status: "completed", prLink: null });
    expect(await request("late")).toMatchObject({ id: "late", status: "active" });
    expect(await request("other")).toEqual({ error: "there is no agent job other in project p" });
  });

  test("prints its usage", async () => {
    const { code, output } = await run("--help").ended;
    expect(code).toBe(0);
    expect(output).toMatch(/^Usage: npm run reference-service/);
  });

  test.each([
    ["no key", ["--site", `docs.example.com=${MARKDOWN}`], "--key is needed, and must begin with svc_"],
    ["another kind of key", ["--key", "abc"], "--key is needed, and must begin with svc_"],
    ["no site", ["--key", "svc_a"], "--site is needed"],
    [
      "a folder that is not there",
      ["--key", "svc_a", "--site", "a.example=no/such"],
      "there is no folder no/such",
    ],
    ["a site without a folder", ["--key", "svc_a", "--site", "a.example"], "write it as DOMAIN=FOLDER"],
    [
      "a port that is no number",
      ["--key", "svc_a", "--site", `a.example=${MARKDOWN}`, "--port", "web"],
      "--port web: must be a number, not below 0",
    ],
    ...["p=1", "p/1", "/1=1", "p/=1", "p/1/2=1"].map((text): [string, string[], string] => [
      `the agent's job ${text}`,
      ["--key", "svc_a", "--site", `a.example=${MARKDOWN}`, "--agent-job", text],
      `--agent-job ${text}: write it as PROJECT/ID=SECONDS`,
    ]),
    [
      "an agent's job that takes no number of seconds",
      ["--key", "svc_a", "--site", `a.example=${MARKDOWN}`, "--agent-job", "p/1=soon"],
      "--agent-job soon: must be a number, not below 0",
    ],
    [
      "an agent's job that is given twice",
      ["--key", "svc_a", "--site", `a.example=${MARKDOWN}`, "--agent-job", "p/1=1", "--agent-job", "p/1=2"],
      "--agent-job p/1 is given twice",
    ],
    ["an unknown option", ["--prot", "1"], "Unknown option '--prot'"],
  ])("refuses %s and says what to do", async (_case, args, message) => {
    const { code, output } = await run(...args).ended;
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output).not.toContain("    at ");
  });
});
