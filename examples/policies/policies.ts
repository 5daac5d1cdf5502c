import type { ReportViolation, ResourceValidationArgs, ResourceValidationPolicy } from "@pulumi/policy";

type Properties = Record<string, unknown>;

const RELEASE = "kubernetes:helm.sh/v3:Release";

const encryptedConnections: ResourceValidationPolicy = {
  name: "encrypted-connections",
  description: "The service, buckets and registries are reached by HTTPS, except on this machine.",
  validateResource: (args, report) => {
    if (!isOf(args, "StaticExport", "AgentJob", "BundleCopy", "AirGapKit")) return;
    const { baseUrl, source, destination } = args.props;
    refuse(baseUrl, "baseUrl");
    refuse(group(source)["baseUrl"], "source.baseUrl");
    refuse(group(destination)["endpoint"], "destination.endpoint");
    if (group(destination)["plainHttp"] === true) report("`destination.plainHttp` must not be true.");

    function refuse(address: unknown, property: string): void {
      if (typeof address === "string" && isPlainHttp(address)) {
        report(`\`${property}\` must begin with https: instead of http:.`);
      }
    }
  },
};

const pinnedContent: ResourceValidationPolicy = {
  name: "pinned-content",
  description:
    "What arrives as a file, and each image or copy that an installation serves, is named by its digest.",
  validateResource: (args, report) => {
    if (isOf(args, "BundleCopy", "AirGapKit")) {
      const { source, sha256 } = args.props;
      if (group(source)["file"] !== undefined && sha256 === undefined) {
        report("`sha256` must name the digest of `source.file`.");
      }
    } else if (args.type === RELEASE) {
      imagesMustHaveDigests(group(args.props["values"]), report);
    }
  },
};

function imagesMustHaveDigests(values: Properties, report: ReportViolation): void {
  if (values["staticExport"] === undefined) return; // the release of another chart
  const images = { siteImage: values["siteImage"], "siteVolume.image": group(values["siteVolume"])["image"] };
  for (const [name, image] of Object.entries(images)) {
    if (typeof image === "string" && image !== "" && !image.includes("@sha256:")) {
      report(`The value \`${name}\` must name the image by its digest: repository@sha256:….`);
    }
  }
}

const selfContainedSites: ResourceValidationPolicy = {
  name: "self-contained-sites",
  description:
    "Kits contain only sites that load nothing from other hosts. With `copies: true`, this applies to copies, too: for " +
    "stacks whose clusters have no egress.",
  configSchema: { properties: { copies: { type: "boolean", default: false } } },
  validateResource: (args, report) => {
    const { copies } = args.getConfig<{ copies?: boolean }>();
    const applies = isOf(args, "AirGapKit") || (copies === true && isOf(args, "BundleCopy"));
    if (applies && args.props["requireSelfContained"] !== true) {
      report("`requireSelfContained` must be true.");
    }
  },
};

const signedContent: ResourceValidationPolicy = {
  name: "signed-content",
  description:
    "Kits are signed. With `images: true`, images of copies are signed, too: for stacks whose clusters verify signatures.",
  configSchema: { properties: { images: { type: "boolean", default: false } } },
  validateResource: (args, report) => {
    const { images } = args.getConfig<{ images?: boolean }>();
    const isImage = isOf(args, "BundleCopy") && group(args.props["destination"])["repository"] !== undefined;
    const applies = isOf(args, "AirGapKit") || (images === true && isImage);
    if (applies && args.props["signingKeyEnv"] === undefined) {
      report("`signingKeyEnv` must name the environment variable of the signing key.");
    }
  },
};

/** The rules of the pack. */
export const policies = [encryptedConnections, pinnedContent, selfContainedSites, signedContent];

/** Whether it is one of these resources, of the dynamic provider or of the native plugin. */
function isOf({ type }: ResourceValidationArgs, ...names: string[]): boolean {
  return names.some(
    (name) => type === `pulumi-nodejs:dynamic/docs-hosting:${name}` || type === `docs-hosting:index:${name}`,
  );
}

function isPlainHttp(address: string): boolean {
  if (!URL.canParse(address)) return false; // refused by the provider itself
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** A group of properties: empty if there is none, or if it is not known yet. */
function group(value: unknown): Properties {
  return typeof value === "object" && value !== null ? (value as Properties) : {};
}
