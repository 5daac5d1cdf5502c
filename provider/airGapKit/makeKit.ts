import { join } from "node:path";
import { readEarlierKit } from "../kit/earlierKit";
import { signerFrom } from "../kit/signature";
import { writeKit } from "../kit/writeKit";
import { inspect, siteLimits } from "../source/inspect";
import { obtain } from "../source/obtain";
import type { WorkContext } from "../source/workFolders";
import { BundleRefusedError } from "../words/errors";
import type { CheckedInputs } from "./inputs";
import type { MadeKit } from "./state";

/** What tells the drafts of this resource from those of others that write to the same folder. */
export function draftOwner(
  { urn = "" }: Pick<WorkContext, "urn">,
  { folder }: Pick<CheckedInputs, "folder">,
): string {
  return JSON.stringify([urn, folder]);
}

/**
 * Fetches the bundle and the images, looks through the bundle, and writes a kit. Nobody sees anything of it before all of that went
 * well; a run that is cut off is gone on with by the next.
 *
 * @param earlier kits of this resource, whose blobs need not be fetched again
 * @throws DocsHostingError; the error of the file system; the signal's reason
 */
export async function makeKit(
  context: WorkContext,
  inputs: CheckedInputs,
  earlier: readonly MadeKit[],
): Promise<MadeKit> {
  const { secrets, configuration } = context;
  const { environment } = configuration;
  const { folder, chart, images, platforms, values, signingKeyEnv, since, partSize } = inputs;
  // what is missing here is told before anything is fetched
  const signer =
    signingKeyEnv === undefined ? undefined : signerFrom(signingKeyEnv, { environment, secrets });
  const sinceKit = since === undefined ? undefined : await readEarlierKit(since);
  const obtained = await obtain(context, inputs);
  const { bundle } = obtained;
  try {
    const inspection = await inspect(context, inputs, bundle);
    const { fetch, clock, reporter, signal, deadline } = context;
    const kit = await context.tracer.span("docs_hosting.kit.write", {}, () =>
      writeKit(
        {
          bundle: { ...bundle, root: inspection.root },
          limits: siteLimits(inputs),
          chart: chart?.path,
          images,
          platforms,
          values,
          signer,
          since: sinceKit,
          partSize,
          earlier: earlier.map((made) => join(folder, made.kit.name)),
        },
        { folder, owner: draftOwner(context, inputs) },
        { fetch, clock, reporter, secrets, signal, deadline, environment },
      ),
    );
    obtained.remove();
    const { files, pages, selfContained, externalLoads } = inspection;
    const { version, jobId, sha256, size } = bundle;
    return {
      kit,
      bundle: { version, jobId, bundleSha256: sha256, size, files, pages, selfContained, externalLoads },
    };
  } catch (error) {
    // what is refused once is refused again
    if (error instanceof BundleRefusedError) obtained.remove();
    else obtained.release();
    throw error;
  }
}
