// Takes what exists already under management: what a program says so of (`import` of a resource's options), and
// `pulumi import` (step.go, ImportStep).
import type { ImportedResource } from "../stack.ts";
import { createUrn, stackType } from "../urn.ts";
import { finishOutputs } from "./carryOut.ts";
import { describeFailures } from "./checkFailures.ts";
import { type Deployment, noteFailure } from "./deployment.ts";
import { type Goal, Refusal } from "./goal.ts";
import { ProviderError } from "./provider.ts";
import type { StoredResource } from "./stateFile.ts";

/** @returns it as it is now, where the program has it imported by this operation */
export async function importDeclared(
  deployment: Deployment,
  { resource, importId }: Goal,
  old: StoredResource | undefined,
): Promise<StoredResource | undefined> {
  if (!resource.custom || importId === "") return undefined;
  resource.importId = importId; // also in later runs, whose program says it again
  if (old && (old.importId ?? old.id) === importId) return undefined;
  if (old) throw new Refusal(resource.urn, "not supported by the test engine: import of what is managed");
  return read(deployment, resource, importId);
}

/** `pulumi import`, without a program. */
export async function importNamed(deployment: Deployment, names: readonly ImportedResource[]): Promise<void> {
  const { ledger, report, project, stack, providers } = deployment;
  const root = createUrn(stack, project, stackType, `${project}-${stack}`, undefined);
  if (!ledger.existedBefore(root)) {
    const resource = { ...blank(root, stackType), custom: false };
    ledger.settle(resource);
    report.ended({ op: "create", urn: root });
  }
  for (const { type, name, id } of names) {
    if (deployment.stop.isRequested) return;
    const urn = createUrn(stack, project, type, name, root);
    if (ledger.existedBefore(urn)) throw new Refusal(urn, `resource '${urn}' already exists`);
    const imported = await read(deployment, { ...blank(urn, type), parent: root }, id);
    const provider = await providers.of(imported);
    const { failures } = await provider.check(urn, imported.inputs, imported.inputs);
    if (failures.length === 0) continue;
    const messages = [
      "One or more imported inputs failed to validate. This is almost certainly a bug in the provider. The import will still " +
        "proceed, but you will need to edit the generated code after copying it into your program.",
      ...describeFailures({ type, name, inputs: imported.inputs }, failures),
    ];
    for (const message of messages) report.log({ severity: "warning", message, urn });
  }
}

async function read(deployment: Deployment, resource: StoredResource, id: string): Promise<StoredResource> {
  const { report, ledger, providers } = deployment;
  const { urn, type } = resource;
  report.started("import", urn);
  try {
    const provider = await providers.of(resource);
    const found = await provider.read({ urn, id, timeout: resource.customTimeouts?.read ?? 0 });
    if (!found.outputs) throw new ProviderError(`resource '${id}' does not exist`);
    if (!found.inputs) {
      const name = type.slice(0, type.indexOf(":"));
      throw new ProviderError(
        `provider does not support importing resources; please try updating the '${name}' plugin`,
      );
    }
    const { inputs, outputs } = found;
    const imported = { ...resource, id: found.id || id, inputs, outputs };
    finishOutputs(imported);
    ledger.adopt(imported);
    report.ended({ op: "import", urn });
    return imported;
  } catch (error) {
    report.ended({ op: "import", urn, error: (error as Error).message });
    noteFailure(deployment, urn);
    throw new Refusal(urn);
  }
}

const blank = (urn: string, type: string): StoredResource => ({
  urn,
  type,
  custom: true,
  inputs: {},
  outputs: {},
  dependencies: [],
  propertyDependencies: {},
  additionalSecretOutputs: [],
  ignoreChanges: [],
  replaceOnChanges: [],
  initErrors: [],
  protect: false,
  retainOnDelete: false,
  external: false,
  pendingDeletion: false,
});
