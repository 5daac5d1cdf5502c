// The generated classes with the arguments that the classes of the npm package have, so that a scenario is written once. The
// differences between the two: a schema has no input `id`, and an export as a source is given by its fields.
/* eslint-disable @typescript-eslint/no-require-imports -- CommonJS, which is evaluated anew for each program in a reused process */
import type * as Pulumi from "@pulumi/pulumi";

type Args = Record<string, unknown>;
type Class = new (
  name: string,
  args: Args,
  opts?: Pulumi.CustomResourceOptions,
) => Pulumi.CustomResource & Args;
type Package = Record<"AgentJob" | "BundleCopy" | "AirGapKit" | "StaticExport", Class>;

const generated = require("./nativePackage.cts") as Package;

class AgentJob extends generated.AgentJob {
  constructor(name: string, { id, ...args }: Args, opts?: Pulumi.CustomResourceOptions) {
    super(name, { ...args, jobId: id }, opts);
  }
}

class BundleCopy extends generated.BundleCopy {
  constructor(name: string, args: Args, opts?: Pulumi.CustomResourceOptions) {
    super(name, withPlainSource(args), opts);
  }
}

class AirGapKit extends generated.AirGapKit {
  constructor(name: string, args: Args, opts?: Pulumi.CustomResourceOptions) {
    super(name, withPlainSource(args), opts);
  }
}

function withPlainSource(args: Args): Args {
  const { source } = args;
  if (!(source instanceof generated.StaticExport)) return args;
  const { domain, jobId, version, baseUrl, apiKeyEnv } = source;
  return { ...args, source: { domain, jobId, version, baseUrl, apiKeyEnv } };
}

module.exports = { ...generated, AgentJob, BundleCopy, AirGapKit };
