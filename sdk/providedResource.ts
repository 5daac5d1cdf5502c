import * as pulumi from "@pulumi/pulumi";
import { handlerText } from "./handler";
import { warnOfPlainKey } from "./plainKeyWarning";
import { resourceUrn } from "./resourceUrn";

/** A resource of this package's provider: what each one registers beside its own properties. */
export abstract class ProvidedResource extends pulumi.CustomResource {
  /**
   * @param kind by which `provider/dynamic.ts` exports its implementation
   * @param properties all of them, also outputs that are not known yet: Pulumi makes properties of those that it is told of
   * @param secretOutputs outputs that are secrets, whatever they are made of
   */
  protected constructor(
    kind: Parameters<typeof handlerText>[0],
    name: string,
    properties: Readonly<Record<string, unknown>>,
    opts: pulumi.CustomResourceOptions,
    secretOutputs: readonly string[] = [],
  ) {
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
