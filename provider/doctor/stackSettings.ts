import { redact } from "../base/runtime/messages/plainText";
import { failure, type Finding, ok, warning } from "./finding";
import type { DoctorHost } from "./host";
import type { PulumiProject } from "./pulumiProject";

/** A setting in the configuration of a stack. */
export interface StackSetting {
  readonly value: string;
  /** Whether it is encrypted in the stack's settings file. */
  readonly isSecret: boolean;
}

/** What the CLI reported. */
export interface StackSettings {
  readonly settings: ReadonlyMap<string, StackSetting>;
  readonly findings: readonly Finding[];
}

const NAMESPACE = "docs-hosting:";

/** What to do about an error of the CLI, by its text. */
const REMEDIES: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/no stack selected|no stack named|stack.*not found/i, "Run `pulumi stack select`, or give --stack NAME."],
  [
    /passphrase/i,
    "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase of the stack, as for `pulumi up`.",
  ],
  [
    /pulumi login|PULUMI_ACCESS_TOKEN|unauthorized|logged in/i,
    "Run `pulumi login`, or set PULUMI_ACCESS_TOKEN.",
  ],
];

/**
 * Reads the configuration of a stack with the Pulumi CLI: only the settings of this package.
 *
 * @returns settings: by name, with the namespace: `docs-hosting:baseUrl`
 * @returns findings: empty outside of a project
 */
export async function readStackSettings(
  host: DoctorHost,
  project: PulumiProject | undefined,
  stack: string | undefined,
): Promise<StackSettings> {
  const unread = (...findings: Finding[]) => ({ settings: new Map<string, StackSetting>(), findings });
  if (project === undefined) {
    if (stack === undefined) return unread();
    const message = `there is no Pulumi project in ${host.folder}`;
    return unread(failure("stack", message, "Run this in the folder of the project."));
  }
  const args = ["config", "--show-secrets", "--json", "--non-interactive"];
  const ended = await host.run("pulumi", [...args, ...(stack === undefined ? [] : ["--stack", stack])]);
  if (ended.code === undefined) {
    const message = `the configuration of the stack in ${project.file} was not read: the Pulumi CLI did not run`;
    const remedy =
      "Only environment variables were checked. Install the CLI, or run `pulumi config` to see what it reports.";
    return unread(warning("stack", message, remedy));
  }
  const settings = ended.code === 0 ? settingsOf(ended.stdout) : undefined;
  if (settings === undefined) {
    const text = redact(ended.stderr.trim() || "no output", 300);
    const remedy =
      REMEDIES.find(([pattern]) => pattern.test(text))?.[1] ??
      "Run `pulumi config` in this folder: it must work before `pulumi up` can.";
    return unread(failure("stack", `the configuration of the stack cannot be read: ${text}`, remedy));
  }
  const names = [...settings.keys()].join(", ") || "no setting of docs-hosting";
  const found = ok("stack", `${stack ?? "the selected stack"} of ${project.file} has ${names}`);
  return { settings, findings: [found] };
}

function settingsOf(json: string): Map<string, StackSetting> | undefined {
  try {
    const all = Object.entries(JSON.parse(json) as Record<string, { value?: unknown; secret?: unknown }>);
    return new Map(
      all
        .filter(([name, { value }]) => name.startsWith(NAMESPACE) && typeof value === "string")
        .map(([name, { value, secret }]) => [name, { value: value as string, isSecret: secret === true }]),
    );
  } catch {
    return undefined;
  }
}
