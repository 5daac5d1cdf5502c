import * as pulumi from "@pulumi/pulumi";
import type { BundleSource } from "../provider/copies/source/bundleSource";
import type { OneKindOf } from "./providedResource";
import { withAdded } from "./sourceKinds";
import type { StaticExport, UnmanagedStaticExport } from "./staticExport";

/** A source as a program writes it: its class adds the digest. */
type WrittenSource = BundleSource extends infer Source
  ? Source extends unknown
    ? Omit<Source, "fileSha256">
    : never
  : never;

/**
 * The source of a bundle: an export of this stack, the fields of an export in another stack or all of it, or a file on this machine.
 * Each may be an output, such as one of a `StackReference`.
 */
export type SourceArgs = pulumi.Input<StaticExport | UnmanagedStaticExport | OneKindOf<WrittenSource>>;

/**
 * Takes from an export the fields that identify its bundle, never its link. Adds a file's digest, which detects changed content. The
 * provider takes these fields from the whole export of another stack.
 */
export function plainSource(source: unknown): unknown {
  if (pulumi.Output.isInstance(source) || source instanceof Promise) {
    const known = pulumi.output(source as Promise<object>) as pulumi.Output<unknown>;
    return known.apply((value) => pulumi.output(plainSource(value)));
  }
  if (pulumi.CustomResource.isInstance(source)) {
    const { domain, jobId, version, baseUrl, apiKeyEnv } = source as UnmanagedStaticExport;
    return { domain, jobId, version, baseUrl, apiKeyEnv };
  }
  return withAdded(source);
}
