import * as pulumi from "@pulumi/pulumi";
import type { ExportSource, FileSource } from "../provider/source/bundleSource";
import { fileDigest } from "./fileDigest";
import type { InputsOf } from "./resourceProperties";
import type { StaticExport, UnmanagedStaticExport } from "./staticExport";

/** Where a bundle comes from, as a program gives it: an export, the same of one that another stack has, or a file that lies here. */
export type SourceArgs =
  StaticExport | UnmanagedStaticExport | InputsOf<ExportSource> | InputsOf<Omit<FileSource, "fileSha256">>;

/** Of an export what finds its bundle, and never its link; of a file also the digest, by which other content is noticed. */
export function plainSource(source: unknown): unknown {
  if (pulumi.CustomResource.isInstance(source)) {
    const { domain, jobId, version, baseUrl, apiKeyEnv } = source as UnmanagedStaticExport;
    return { domain, jobId, version, baseUrl, apiKeyEnv };
  }
  const given = source as { readonly file?: pulumi.Input<unknown> } | null | undefined;
  if (given?.file === undefined) return given;
  const path = pulumi.output(given.file) as pulumi.Output<string>;
  return { ...given, fileSha256: path.apply(fileDigest) };
}
