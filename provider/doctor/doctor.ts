import type { Secrets } from "../runtime/messages/secrets";
import type { ConfigurationSource } from "../service/configuration";
import { signerFrom } from "../images/signing/signer";
import { checkDestinations } from "./destinations";
import { failureOf, isHealthy, ok, resultOf, type Finding } from "./finding";
import { checkFolders } from "./folders";
import type { DoctorHost } from "./host";
import { checkNetwork } from "./network";
import type { Options } from "./options";
import { findProject, type PulumiProject } from "./pulumiProject";
import { checkService, type ServiceResult } from "./service";
import { checkSettings } from "./settings";
import { readStackSettings, type StackSettings } from "./stackSettings";
import { cliFinding, versionFindings } from "./versions";

/**
 * Checks what `pulumi up` needs on this machine. A check that depends on a failed one is skipped. It starts a job only with
 * `--start`.
 *
 * @param secrets receives the secret values that are read
 * @returns all findings, in the order of the checks
 */
export async function examine(options: Options, host: DoctorHost, secrets: Secrets): Promise<ServiceResult> {
  const { project, findings: unfound } = await resultOf<FoundProject>(
    "stack",
    () => ({ project: findProject(host.folder), findings: [] }),
    (finding) => ({ project: undefined, findings: [finding] }),
  );
  const [cli, stack] = await Promise.all([
    resultOf("pulumi-cli", () => cliFinding(host), identity),
    unfound.length > 0
      ? { settings: NO_SETTINGS, findings: unfound }
      : resultOf(
          "stack",
          () => readStackSettings(host, project, options.stack),
          (finding) => ({ settings: NO_SETTINGS, findings: [finding] }),
        ),
  ]);
  for (const { value, isSecret } of stack.settings.values()) if (isSecret) secrets.add(value.trim());
  const source: ConfigurationSource = {
    secrets,
    environment: host.environment,
    stackConfig: (name) => stack.settings.get(name)?.value,
  };
  const settings = await resultOf(
    "settings",
    () => checkSettings(source, stack, options),
    (finding) => ({ findings: [finding], baseUrl: undefined, hasKey: false }),
  );
  const [service, destinations] = await Promise.all([
    checkWay(settings, options, host, source, secrets),
    checkDestinations(options, host, secrets),
  ]);
  const versions = await resultOf("package", () => versionFindings(host, project), list);
  const findings = [
    ...versions,
    cli,
    ...stack.findings,
    ...settings.findings,
    ...service.findings,
    ...signingKeyFindings(options, host, secrets),
    ...destinations,
    ...checkFolders(host),
  ];
  return { ...service, findings };
}

interface FoundProject {
  readonly project: PulumiProject | undefined;
  readonly findings: readonly Finding[];
}

const NO_SETTINGS: StackSettings["settings"] = new Map();
const identity = (finding: Finding): Finding => finding;
const list = (finding: Finding): Finding[] => [finding];

/** Checks the connection to the service, and its replies. */
async function checkWay(
  { baseUrl, hasKey }: ReturnType<typeof checkSettings>,
  options: Options,
  host: DoctorHost,
  source: ConfigurationSource,
  secrets: Secrets,
): Promise<ServiceResult> {
  if (baseUrl === undefined) return { findings: [] };
  const network = await resultOf("connection", () => checkNetwork(baseUrl, host), list);
  if (!isHealthy(network) || !hasKey) return { findings: network };
  const service = await resultOf<ServiceResult>(
    "key-accepted",
    () => checkService(options, host, source, secrets),
    (finding) => ({ findings: [finding], mayHaveStarted: options.start }),
  );
  return { ...service, findings: [...network, ...service.findings] };
}

function signingKeyFindings(
  { "signing-key-env": variable }: Options,
  { environment }: DoctorHost,
  secrets: Secrets,
): Finding[] {
  if (variable === undefined) return [];
  try {
    signerFrom(variable, { environment, secrets });
    return [ok("signing-key", `${variable} holds a private key that can sign`)];
  } catch (error) {
    return [failureOf("signing-key", error)];
  }
}
