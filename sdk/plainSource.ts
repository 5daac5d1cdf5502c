import * as pulumi from "@pulumi/pulumi";
import type { ExportSource, FileSource } from "../provider/copies/source/bundleSource";
import { fileDigest } from "../provider/copies/source/fileDigest";
import type { OneKindOf } from "./providedResource";
import type { StaticExport, UnmanagedStaticExport } from "./staticExport";

/**
 * The source of a bundle: an export of this stack, the fields of an export in another stack or all of it, or a file on this machine.
 * Each may be an output, such as one of a `StackReference`.
 */
export type SourceArgs = pulumi.Input<
  StaticExport | UnmanagedStaticExport | OneKindOf<ExportSource | Omit<FileSource, "fileSha256">>
>;

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
  const given = source as { readonly file?: pulumi.Input<unknown> } | null | undefined;
  if (given?.file === undefined) return given;
  const path = pulumi.output(given.file) as pulumi.Output<string>;
  return { ...given, fileSha256: path.apply(fileDigest) };
}
