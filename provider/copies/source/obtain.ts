import { hash } from "node:crypto";
import { resolve } from "node:path";
import { proxyFor } from "../../base/http/proxy";
import { hashFile } from "../../base/runtime/files/hashFile";
import { homeFolder } from "../../base/runtime/files/homeFolder";
import {
  archiveFormat,
  type Bundle,
  download,
  type DownloadContext,
  type Downloaded,
  forPacker,
} from "../../publishing/index";
import { openClient } from "../../resource/lifeCycle";
import type { LimitedContext } from "../../resource/withinLimit";
import { serviceSettings } from "../../service/configuration";
import { mintLink } from "../../service/mintLink";
import {
  type CheckedSource,
  describeSource,
  type ExportSource,
  type FileSource,
  forItsSource,
} from "./bundleSource";
import type { BundleRequirements } from "./requirements";

/** A local bundle, and how to release it. */
export interface Obtained extends Pick<Downloaded, "remove" | "release"> {
  readonly bundle: Bundle;
}

/** How to release a bundle that was here before. */
export const NOTHING_FETCHED = { remove: (): void => undefined, release: (): void => undefined };

/** The context of an operation that fetches a bundle. */
export type SourceContext = LimitedContext & Pick<DownloadContext, "downloads">;

/**
 * Downloads the bundle of an export, or uses the given local file.
 *
 * @throws DocsHostingError; the signal's reason
 */
export async function obtain(
  context: SourceContext,
  { source, limits }: { readonly source: CheckedSource } & Pick<BundleRequirements, "limits">,
): Promise<Obtained> {
  return forItsSource(source, {
    file: (given) => readFile(context, given, limits.archiveBytes),
    jobId: (given) =>
      context.tracer.span("docs_hosting.bundle.download", {}, () =>
        fetchExport(context, given, limits.archiveBytes),
      ),
  });
}

async function readFile(
  context: SourceContext,
  { file, version, domain }: FileSource,
  limitBytes: number,
): Promise<Obtained> {
  const path = resolve(file);
  const { sha256, size } = await hashFile(path, { limitBytes }, context);
  return {
    bundle: { path, format: await forPacker(() => archiveFormat(path)), sha256, size, version, domain },
    ...NOTHING_FETCHED,
  };
}

async function fetchExport(
  context: SourceContext,
  source: Required<ExportSource>,
  limitBytes: number,
): Promise<Obtained> {
  const { domain, jobId, version, baseUrl } = source;
  const { environment } = context.configuration;
  const service = openClient(context, source, context.deadline);
  const settings = serviceSettings(context.configuration, source);
  await service.client.getExport(jobId, domain); // a reply with a link may omit the site
  // two resources with the same job do not share their parts
  const name = hash("sha256", JSON.stringify([baseUrl, jobId, context.urn])).slice(0, 32);
  const { path, sha256, size, ...held } = await download(
    {
      folder: homeFolder(environment, "downloads"),
      name,
      mint: () => mintLink(jobId, domain, service),
      limitBytes,
      subject: describeSource(source),
      policy: settings,
      proxyFor: (url) => proxyFor(url, environment),
    },
    context,
  );
  try {
    const format = await archiveFormat(path);
    context.tracer.note({ "docs_hosting.bundle.sha256": sha256, "docs_hosting.bundle.size": size });
    return { bundle: { path, format, sha256, size, version, jobId, domain }, ...held };
  } catch (error) {
    held.remove(); // not an archive: a retry would get the same file
    throw error;
  }
}
