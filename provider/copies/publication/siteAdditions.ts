import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { proxyFor } from "../../base/http/proxy";
import { formatBytes } from "../../base/runtime/messages/formatBytes";
import { isUnknown } from "../../base/runtime/messages/plainText";
import {
  additionsOf,
  type AssetPolicy,
  externalCode,
  type ReadCopy,
  type WantedAdditions,
} from "../../publishing/index";
import type { LimitedContext } from "../../resource/withinLimit";
import {
  ALLOW_INSECURE,
  type ConfigurationSource,
  isOn,
  PUBLIC_STORAGE_ONLY,
} from "../../service/configuration";
import { checkLoads } from "../source/inspect";
import type { PublishedInputs } from "./publication";
import type { CheckedBundle } from "./publicationKind";

/**
 * What is added to a site, with everything that must be fetched for it.
 *
 * @param scratch an empty folder on the local disk
 * @param earlier reads the copy before, if it is of the same content: what it has of other hosts is not fetched again
 * @throws BundleRefusedError; ConfigurationError; the signal's reason; the error of the file system
 */
export async function preparedAdditions(
  context: LimitedContext,
  inputs: PublishedInputs,
  { bundle, inspection }: CheckedBundle,
  scratch: () => Promise<string>,
  earlier?: ReadCopy,
): Promise<WantedAdditions> {
  const { configuration, reporter, signal, tracer } = context;
  const { fetchExternal, limits } = inputs;
  const additions = { ...additionsOf(inputs), ...inspection, reporter };
  if (fetchExternal === undefined) return additions;
  const policy = assetPolicy(configuration);
  let folder: Promise<string> | undefined;
  const site = { ...inspection, domain: bundle.domain };
  const external = await tracer.span("docs_hosting.external.fetch", {}, async () => {
    const network = {
      ...context,
      policy,
      proxyFor: (url: string) => proxyFor(url, configuration.environment),
      scratch: () => (folder ??= inside(scratch)),
    };
    // the copy before may be gone or damaged: then everything is fetched
    const kept: ReadCopy | undefined =
      earlier && ((wanted) => earlier(wanted).catch(() => signal.throwIfAborted()));
    const { ExternalAssets } = await externalCode();
    const fetched = await ExternalAssets.fetch(bundle, limits, site, fetchExternal, network, kept);
    const { length } = fetched.fetched;
    const size = fetched.fetched.reduce((sum, { bytes }) => sum + bytes, 0);
    tracer.note({ "docs_hosting.external.files": length, "docs_hosting.external.size": size });
    if (length > 0) reporter.info(`files of other hosts that the copy has: ${length} (${formatBytes(size)})`);
    return fetched;
  });
  return { ...additions, external, acceptLoads: (loads) => checkLoads(loads, bundle, inputs, context) };
}

/** Which addresses are requested. */
export function assetPolicy(configuration: ConfigurationSource): AssetPolicy {
  return {
    allowInsecure: isOn(ALLOW_INSECURE, configuration),
    publicStorageOnly: isOn(PUBLIC_STORAGE_ONLY, configuration),
  };
}

/** What a decision adds about what is fetched: a preview cannot name it. Empty if nothing is. */
export function fetchText({
  source,
  fetchExternal,
}: Pick<PublishedInputs, "source" | "fetchExternal">): string {
  if (fetchExternal === undefined || isUnknown(fetchExternal)) return "";
  const when = !isUnknown(source) && "file" in source ? "" : ", which is known once the archive is here";
  return `, with what its pages load from other hosts${when}`;
}

/** A folder of its own: the destination writes there, too. */
async function inside(scratch: () => Promise<string>): Promise<string> {
  const folder = join(await scratch(), "external");
  await mkdir(folder);
  return folder;
}
