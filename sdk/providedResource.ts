import * as pulumi from "@pulumi/pulumi";
import { handlerText } from "./handler";
import { warnOfPlainKey } from "./plainKeyWarning";
import { checkPackageIsFound, refuseImport } from "./registration";
import { resourceUrn } from "./resourceUrn";

/** A resource of this package's provider. Adds the properties that every such resource registers. */
export abstract class ProvidedResource extends pulumi.CustomResource {
  /**
   * @param kind the name under which `provider/dynamic.ts` exports its implementation
   * @param properties all inputs and outputs, also unknown ones: Pulumi creates class properties only for those it is given
   * @param secretOutputs outputs that are always secrets
   * @throws pulumi.RunError before anything is registered: for the option `import`, and if Pulumi's provider process cannot find the package
   */
  protected constructor(
    kind: Parameters<typeof handlerText>[0],
    name: string,
    properties: Readonly<Record<string, unknown>>,
    opts: pulumi.CustomResourceOptions,
    secretOutputs: readonly string[] = [],
  ) {
    refuseImport(kind, name, opts);
    checkPackageIsFound();
    const type = `pulumi-nodejs:dynamic/docs-hosting:${kind}`;
    super(
      type,
      name,
      {
        ...properties,
        __provider: handlerText(kind),
        __urn: resourceUrn(name, type, opts.parent),
        __timeouts: opts.customTimeouts,
      },
      { ...opts, additionalSecretOutputs: [...secretOutputs, ...(opts.additionalSecretOutputs ?? [])] },
    );
    warnOfPlainKey();
  }
}
