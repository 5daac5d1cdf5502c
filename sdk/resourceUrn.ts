import * as pulumi from "@pulumi/pulumi";
import { isKnownOutput } from "./pulumiSdk";

/**
 * The URN that a resource will have. The provider needs it for rows and records, and Pulumi does not pass it on.
 *
 * A promise instead of the output of `createUrn`: that output depends on the parent. The SDK expands this to all children
 * of the parent, so two siblings would wait for each other forever. A promise has no dependencies.
 *
 * @returns `undefined` when the parent's own URN is unknown
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
