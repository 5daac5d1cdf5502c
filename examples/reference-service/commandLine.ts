import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { KEY_PREFIX } from "./adminApiKey.ts";
import type { NewAgentJob } from "./agentJobs.ts";
import type { ReferenceServiceOptions } from "./service.ts";

/**
 * Environment variable that holds the key when `--key` is missing. It is not the clients' variable, whose key may be a real one.
 */
const KEY_VARIABLE = "REFERENCE_SERVICE_ADMIN_API_KEY";

export const USAGE = `Usage: npm run reference-service -- --site DOMAIN=FOLDER --key KEY [options]

Runs the documentation-hosting API on this machine, for folders of Markdown.

  --site DOMAIN=FOLDER  a site and the folder of Markdown that it is made of; may be repeated
  --key KEY             the admin API key that requests must carry; begins with ${KEY_PREFIX}. Better in the variable
                        ${KEY_VARIABLE}: arguments can be read by everybody on the machine
  --port NUMBER         TCP port, 0 for any free one (default 4010)
  --host ADDRESS        address to listen on (default 127.0.0.1)
  --public-url URL      base of the bundle links, where clients reach this under another address
  --job-seconds NUMBER  how long an export takes at least (default 0)
  --link-seconds NUMBER how long a bundle link works (default 3600)
  --agent-job PROJECT/ID=SECONDS
                        an agent's job that completes so many seconds after the start, without a pull request; may be
                        repeated
  --help                this text
`;

/** Bad input of the user; the message says what to type instead. */
export class UsageError extends Error {}

const DEFAULT_PORT = "4010";

/** An agent job that the command creates after the service has started. */
export interface RequestedAgentJob {
  projectId: string;
  job: NewAgentJob;
}

/** Reads the arguments of the command and its environment; undefined when the user asks for help. */
export function parseCommandLine(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): (ReferenceServiceOptions & { agentJobs: readonly RequestedAgentJob[] }) | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const key = values.key ?? environment[KEY_VARIABLE];
  if (key === undefined || !key.startsWith(KEY_PREFIX)) {
    throw new UsageError(
      `--key is needed, and must begin with ${KEY_PREFIX}, for example --key ${KEY_PREFIX}local; it can also come from ` +
        `the variable ${KEY_VARIABLE}`,
    );
  }
  const sites = Object.fromEntries((values.site ?? []).map(parseSite));
  if (Object.keys(sites).length === 0) {
    throw new UsageError("--site is needed, for example --site docs.example.com=docs");
  }
  const port = parseNumber("--port", values.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port > 65_535) {
    throw new UsageError("--port must be a whole number up to 65535");
  }
  return {
    sites,
    adminApiKey: key,
    port,
    agentJobs: parseAgentJobs(values["agent-job"] ?? []),
    ...(values.host !== undefined && { host: values.host }),
    ...(values["public-url"] !== undefined && { publicUrl: values["public-url"].replace(/\/+$/, "") }),
    ...(values["job-seconds"] !== undefined && {
      jobDurationMs: parseNumber("--job-seconds", values["job-seconds"]) * 1000,
    }),
    ...(values["link-seconds"] !== undefined && {
      linkLifetimeMs: parseNumber("--link-seconds", values["link-seconds"]) * 1000,
    }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        site: { type: "string", multiple: true },
        key: { type: "string" },
        port: { type: "string" },
        host: { type: "string" },
        "public-url": { type: "string" },
        "job-seconds": { type: "string" },
        "link-seconds": { type: "string" },
        "agent-job": { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parseSite(text: string): [domain: string, folder: string] {
  const separator = text.indexOf("=");
  const domain = text.slice(0, Math.max(0, separator));
  const folder = text.slice(separator + 1);
  if (domain === "" || folder === "") throw new UsageError(`--site ${text}: write it as DOMAIN=FOLDER`);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`--site ${text}: there is no folder ${folder}`);
  }
  return [domain, folder];
}

function parseAgentJobs(texts: readonly string[]): RequestedAgentJob[] {
  const jobs = texts.map((text) => {
    const [, projectId, id, seconds] = /^([^/]+)\/([^/=]+)=(.*)$/.exec(text) ?? [];
    if (projectId === undefined || id === undefined || seconds === undefined) {
      throw new UsageError(`--agent-job ${text}: write it as PROJECT/ID=SECONDS`);
    }
    const endsAfterMs = parseNumber("--agent-job", seconds) * 1000;
    return { projectId, job: { id, endsAfterMs } };
  });
  const names = jobs.map(({ projectId, job }) => `${projectId}/${job.id}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`--agent-job ${twice} is given twice`);
  return jobs;
}

function parseNumber(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number) || number < 0) {
    throw new UsageError(`${option} ${text}: must be a number, not below 0`);
  }
  return number;
}
