import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { parseCommandLine, UsageError } from "../../examples/reference-service/commandLine.ts";
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

  test("creates agents' jobs, which end by themselves, and takes the key of REFERENCE_SERVICE_ADMIN_API_KEY", async () => {
    vi.stubEnv("REFERENCE_SERVICE_ADMIN_API_KEY", "svc_from_environment");
    const jobs = ["--agent-job", "p/done=0", "--agent-job", "p/late=3600.5"];
    const { process: service } = run("--port", "0", "--site", `docs.example.com=${MARKDOWN}`, ...jobs);
    vi.unstubAllEnvs();
    const [line] = (await once(service.stdout ?? service, "data")) as [Buffer];
    const url = String(line).replace("listening on ", "").trim();
    const request = async (id: string, key = "svc_from_environment") =>
      fetch(`${url}/v2/agent/p/job/${id}`, { headers: { authorization: `Bearer ${key}` } });
    const job = async (id: string) => (await request(id)).json();
    expect(await job("done")).toMatchObject({ id: "done", status: "completed", prLink: null });
    expect(await job("late")).toMatchObject({ id: "late", status: "active" });
    expect(await job("other")).toEqual({ error: "there is no agent job other in project p" });
    expect((await request("done", "svc_local")).status).toBe(401);
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
  ])("refuses %s and says what to do", (_case, args, message) => {
    const parse = () => parseCommandLine(args, {});
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
  });

  test("prints what it refuses, without a stack, and fails", async () => {
    expect(await run("--prot", "1").ended).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^reference-service: Unknown option '--prot'.*\nTry --help\.\n$/,
      ) as string,
    });
  });
});
