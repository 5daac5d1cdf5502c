import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import {
  type FeaturesOf,
  featureValues,
  type SelfHostedDeploymentKind,
} from "../../provider/installation/featureTable";
import { airGappedByLink, installedValues, needsLink } from "../../provider/installation/siteValues";
import { type SiteSource, valuesOf } from "../staticExportValues";
import { findChart, type InstallationChart } from "./installationChart";
import { mergeReleaseValues } from "./mergeValues";
import { warnOfPendingRelease } from "./releaseFailure";
import { generatedNameProblem, releaseNameProblem } from "./releaseName";
import { releaseOptions } from "./releaseOptions";
import { type ImageVerificationArgs, verificationOf, verifiedValues } from "./verifiedImage";

const TYPE = "docs-hosting:kubernetes:SelfHostedDocs";

/** Number of revisions that Helm keeps: the current and the previous one. Each contains the values, with a link. */
const DEFAULT_MAX_HISTORY = 2;

/** How long Helm waits for the pods, in seconds: two pods, one after the other, each fetching image and bundle. */
const DEFAULT_TIMEOUT_SECONDS = 600;

/** Arguments of the release that the component sets itself, each with the component's argument for it. */
const OWN = { chart: "chart", version: "chartVersion", namespace: "namespace", values: "values" } as const;

/**
 * Settings of the Helm release that the component does not set itself, such as `name`, `timeout` (seconds),
 * `maxHistory`, `repositoryOpts`, `skipAwait` or `atomic`.
 */
export type ReleaseSettings = Omit<
  kubernetes.helm.v3.ReleaseArgs,
  keyof typeof OWN | "compat" | "manifest" | "resourceNames"
>;

/** Arguments of {@link SelfHostedDocs} that installations of each kind have. */
interface CommonArgs {
  /**
   * What the installation serves:
   * - a StaticExport: pods fetch the bundle on startup, by a link that expires;
   * - a BundleCopy, which is durable. In a registry: pods need only the image (without a `base`, also Kubernetes 1.35 or later).
   *   In a bucket: pods fetch the archive and refuse any other archive. A copy in a folder is an error;
   * - one of another stack: `{ bundleUrl, version?, jobId?, sha256? }` or `{ image, runnable?, version?, jobId? }`.
   *
   * Links stay secret.
   */
  staticExport: SiteSource;
  /**
   * The deployment chart: a folder (`"./chart"`, relative to the program's folder) or a packed chart on this machine, an OCI
   * reference (`"oci://registry/docs"`), or a name in the repository of `release.repositoryOpts`.
   */
  chart: pulumi.Input<string>;
  /** Version of a published chart, or a version range. @default the newest */
  chartVersion?: pulumi.Input<string> | undefined;
  /**
   * Verify the signature of the image before anything is installed, with the public key of its signer: of a BundleCopy in a registry with
   * `signingKeyEnv`, or of any image that `cosign verify --key` accepts. An image that is not signed, or by another key, is an error of
   * the preview if the preview knows the image, otherwise of the run, and the release is not changed. The registry is asked by the
   * machine that runs Pulumi, in each preview and run.
   *
   * @default nothing is verified
   */
  verify?: ImageVerificationArgs | undefined;
  /** Namespace of the release. @default that of the provider */
  namespace?: pulumi.Input<string> | undefined;
  /** Further values of the chart. The values of the static export override them: groups are merged, lists are replaced. */
  values?: pulumi.Input<Record<string, unknown>> | undefined;
  /**
   * Other settings of the Helm release.
   *
   * @default `maxHistory` 2, to remove old links from the cluster; `timeout` 600 (seconds)
   */
  release?: ReleaseSettings | undefined;
}

/** Arguments of {@link SelfHostedDocs}. */
export type SelfHostedDocsArgs = CommonArgs &
  { [Kind in SelfHostedDeploymentKind]: KindArgs<Kind> }[SelfHostedDeploymentKind];

/** What depends on how the platform is installed. */
interface KindArgs<Kind extends SelfHostedDeploymentKind> {
  /**
   * How the platform is installed. The kind decides which `features` are available. An `"air-gapped"` installation has no
   * outbound network access.
   */
  deploymentKind: Kind;
  /**
   * Features to request. A feature that is unavailable in the deployment kind is an error before anything is created. A
   * configurable feature is passed to the chart's values, as `features: { search: true }`. An available feature adds no value.
   *
   * @default none
   */
  features?: FeaturesOf<Kind> | undefined;
}

/**
 * A self-hosted installation that serves a static export: one Helm release, whose values tell the deployment chart to
 * fetch the bundle on startup (`staticExport.enabled`, `.bundleUrl`, `.version`, `.jobId`), or to serve an image (`siteImage`).
 *
 * A changed local chart causes an update, also under the same chart version: the release's `description` contains the digest
 * of the chart's files. When the release fails, its row shows commands that find the cause, if Pulumi has error hooks (CLI and
 * SDK from 3.218, all errors from CLI 3.244). Each run warns about a release that a killed run left pending. The component
 * also warns about an air-gapped installation whose pods need a link.
 *
 * @throws pulumi.RunError from the constructor, also in previews and before anything is registered: for a feature that is
 * unavailable in the deployment kind, an unknown feature or deployment kind, a chart's folder that does not exist or is no
 * chart, a name of the release that Helm would refuse, an export that was read with `StaticExport.get` and so has no link
 *
 * @example
 * const installation = new SelfHostedDocs("docs", {
 *   staticExport: docs,
 *   chart: "./chart",
 *   deploymentKind: "client-hosted",
 *   features: { search: true },
 * });
 */
export class SelfHostedDocs extends pulumi.ComponentResource {
  /** Whether a value is a SelfHostedDocs, also of another copy of this package. */
  static override isInstance(value: unknown): value is SelfHostedDocs {
    return (
      pulumi.ComponentResource.isInstance(value) &&
      (value as { readonly __pulumiType?: unknown }).__pulumiType === TYPE
    );
  }

  /** The Helm release. */
  readonly release: kubernetes.helm.v3.Release;
  /** Name of the release in the cluster. */
  readonly name: pulumi.Output<string>;
  /** Namespace of the release. */
  readonly namespace: pulumi.Output<string>;
  /** Status of the release: revision, chart, versions. */
  readonly status: kubernetes.helm.v3.Release["status"];

  /**
   * @param name unique name of the component in the stack, and of its release
   * @param args what to install
   * @param opts Pulumi's resource options; options that apply only to resources with inputs are passed to the release
   */
  constructor(name: string, args: SelfHostedDocsArgs, opts: pulumi.ComponentResourceOptions = {}) {
    const release = releaseArgs(name, args); // before anything is registered
    super(TYPE, name, {}, opts);
    this.release = new kubernetes.helm.v3.Release(name, release, releaseOptions(this, opts));
    warnOfPendingRelease(this.release);
    const { staticExport: site } = args;
    if (args.deploymentKind === "air-gapped" && !("image" in site) && needsLink(site)) {
      const remedy =
        "give the copy as `staticExport`: new BundleCopy(name, { source, destination: { repository, base } })";
      void pulumi.log.warn(airGappedByLink(remedy), this);
    }
    this.name = this.release.name;
    this.namespace = this.release.namespace;
    this.status = this.release.status;
    this.registerOutputs({ name: this.name, namespace: this.namespace, status: this.status });
  }
}

function releaseArgs(name: string, args: SelfHostedDocsArgs): kubernetes.helm.v3.ReleaseArgs {
  const owner = `SelfHostedDocs "${name}"`;
  const refuse = (problem: string): never => {
    throw new pulumi.RunError(`${owner}: ${problem}`);
  };
  const { staticExport, chartVersion, deploymentKind, namespace, release = {} } = args;
  const siteValues = valuesOf(staticExport, owner);
  const exportValues = args.verify
    ? verifiedValues(siteValues, verificationOf(staticExport, args.verify), owner)
    : siteValues;
  for (const [setting, argument] of Object.entries(OWN)) {
    if (setting in release) refuse(`\`release.${setting}\` is not for \`release\`: give \`${argument}\`.`);
  }
  if (pulumi.Output.isInstance(args.features) || pulumi.Output.isInstance(deploymentKind)) {
    refuse("`features` and `deploymentKind` must be known when the program runs: they are checked first.");
  }
  const features = featureValues(args.features ?? {}, deploymentKind);
  if ("problem" in features) return refuse(features.problem);
  const chart = mapInput(args.chart, (given): InstallationChart => {
    const found = findChart(given, {
      inRepository: release.repositoryOpts !== undefined,
      dependencyUpdate: release.dependencyUpdate !== undefined && release.dependencyUpdate !== false,
    });
    return "problem" in found ? refuse(found.problem) : found;
  });
  const releaseName = mapInput(release.name, (given) => {
    const problem = given ? releaseNameProblem(given) : generatedNameProblem(name);
    return problem === undefined ? given : refuse(problem);
  });
  return {
    ...release,
    ...(releaseName !== undefined && { name: releaseName }),
    maxHistory: release.maxHistory ?? DEFAULT_MAX_HISTORY,
    timeout: release.timeout ?? DEFAULT_TIMEOUT_SECONDS,
    chart: mapInput(chart, ({ reference }) => reference),
    description: description(chart, release.description),
    ...(chartVersion !== undefined && { version: chartVersion }),
    ...(namespace !== undefined && { namespace }),
    values: mergeReleaseValues(args.values ?? {}, installedValues(exportValues, features.values)),
  };
}

/** The user's description and the digest of a local chart: the plugin itself compares only the chart's version. */
function description(
  chart: pulumi.Input<InstallationChart>,
  given: pulumi.Input<string | undefined>,
): pulumi.Input<string | undefined> {
  const join = ({ digest }: InstallationChart, own: string | undefined): string | undefined =>
    digest === undefined ? own : [own, `chart files ${digest}`].filter(Boolean).join("; ");
  return mapInput(chart, (found) => mapInput(given, (own) => join(found, own)));
}

/** Maps a value that is known when the program runs at once, to report errors at once. */
function mapInput<From, To>(
  input: pulumi.Input<From>,
  map: (value: From) => pulumi.Input<To>,
): pulumi.Input<To> {
  if (!pulumi.Output.isInstance(input) && !(input instanceof Promise)) return map(input);
  return pulumi.output(input).apply((value) => map(value as From)) as pulumi.Output<To>;
}
