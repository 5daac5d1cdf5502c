import { signerFrom } from "../publishing/index";
import type { ConfigurationSource } from "../service/configuration";
import { checkDestinations } from "./destinations";
import { type Finding, findingOf, isHealthy, ok, resultOf } from "./finding";
import { checkFolders } from "./folders";
import type { Examination } from "./host";
import { checkNetwork } from "./network";
import { findProject, type PulumiProject } from "./pulumiProject";
import { checkService, type ServiceResult } from "./service";
import { checkSettings, type ResolvedSettings } from "./settings";
import { readStackSettings, type StackSettings } from "./stackSettings";
import { cliFinding, versionFindings } from "./versions";

/**
 * Checks what `pulumi up` needs on this machine. A check that depends on a failed one is skipped. It starts a job only with
 * `--start`.
 *
 * @returns all findings, in the order of the checks
 */
export async function examine(examination: Examination): Promise<ServiceResult> {
  const { options, host, secrets } = examination;
  let project: PulumiProject | undefined;
  const [cli, stack] = await Promise.all([
    resultOf("pulumi-cli", () => cliFinding(host), identity),
    resultOf<StackSettings>(
      "stack",
      () => {
        project = findProject(host.folder);
        return readStackSettings(host, project, options.stack);
      },
      (finding) => ({ settings: new Map(), findings: [finding] }),
    ),
  ]);
  for (const { value, isSecret } of stack.settings.values()) if (isSecret) secrets.add(value.trim());
  const source: ConfigurationSource = {
    secrets,
    environment: host.environment,
    stackConfig: (name) => stack.settings.get(name)?.value,
  };
  const settings = checkSettings(source, stack, options);
  const [service, destinations] = await Promise.all([
    checkWay(settings, source, examination),
    checkDestinations(examination),
  ]);
  const findings = [
    ...versionFindings(host, project),
    cli,
    ...stack.findings,
    ...settings.findings,
    ...service.findings,
    ...signingKeyFindings(examination),
    ...destinations,
    ...checkFolders(host),
  ];
  return { ...service, findings };
}

const identity = (finding: Finding): Finding => finding;
const list = (finding: Finding): Finding[] => [finding];

/** Checks the connection to the service, and its replies. */
async function checkWay(
  { baseUrl, hasKey }: ResolvedSettings,
  source: ConfigurationSource,
  examination: Examination,
): Promise<ServiceResult> {
  if (baseUrl === undefined) return { findings: [] };
  const network = await resultOf("connection", () => checkNetwork(baseUrl, examination.host), list);
  if (!isHealthy(network) || !hasKey) return { findings: network };
  const service = await resultOf<ServiceResult>(
    "key-accepted",
    () => checkService(source, examination),
    (finding) => ({ findings: [finding], mayHaveStarted: examination.options.start }),
  );
  return { ...service, findings: [...network, ...service.findings] };
}

function signingKeyFindings({ options, host: { environment }, secrets }: Examination): Finding[] {
  const { "signing-key-env": variable } = options;
  if (variable === undefined) return [];
  const signing = findingOf("signing-key", () => {
    signerFrom(variable, { environment, secrets });
    return ok("signing-key", `${variable} holds a private key that can sign`);
  });
  return [signing];
}
