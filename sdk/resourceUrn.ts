import * as pulumi from "@pulumi/pulumi";
import { isKnownOutput } from "./pulumiSdk";

/**
 * The URN that a resource will have, for the rows and records of the provider, which Pulumi does not tell it.
 *
 * A promise and not the output that `createUrn` gives: that one depends on the parent, which the SDK takes for all
 * children of the parent, so that two siblings would wait for each other for ever. A promise depends on nothing.
 *
 * @returns `undefined` when the parent's own URN is not known
 */
export function resourceUrn(
  name: string,
  type: string,
  parent: pulumi.Resource | undefined,
): Promise<string | undefined> {
  const urn = pulumi.createUrn(name, type, parent);
  return new Promise((resolve) => {
    urn.apply(resolve);
    void isKnownOutput(urn).then((known) => known || resolve(undefined));
  });
}
