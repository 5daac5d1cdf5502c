import { unpackBundle } from "../archive/bundle";
import type { Bundle, Copy, Destination, DestinationContext } from "../destination/destination";
import { describeSource } from "../source/bundleSource";
import { inspect, siteLimits } from "../source/inspect";
import { obtain } from "../source/obtain";
import { withScratch, type WorkContext } from "../source/workFolders";
import { BundleRefusedError } from "../words/errors";
import type { CheckedInputs } from "./inputs";
import type { MadeCopy } from "./state";

/**
 * Fetches the bundle, looks through it, and puts it in its place. Nobody sees anything of it before all of that went well; a run
 * that is cut off is gone on with by the next.
 *
 * @throws BundleRefusedError, DownloadError, DestinationError or another DocsHostingError; the signal's reason
 */
export async function makeCopy(
  context: WorkContext,
  inputs: CheckedInputs,
  destination: Destination,
): Promise<MadeCopy> {
  const obtained = await obtain(context, inputs);
  const { bundle } = obtained;
  try {
    refuseOtherDigest(bundle, inputs);
    const inspection = await inspect(context, inputs, bundle);
    const publish = async (place: DestinationContext): Promise<Copy> => {
      const draft = await destination.begin(bundle, place);
      try {
        if (draft.sink) {
          const { root } = inspection;
          await unpackBundle(bundle, siteLimits(inputs), draft.sink, { signal: context.signal, root });
        }
        return await draft.publish();
      } catch (error) {
        await draft.abandon?.();
        throw error;
      }
    };
    const made = await context.tracer.span("docs_hosting.bundle.publish", {}, () =>
      withScratch(context, publish),
    );
    obtained.remove();
    const { files, pages, selfContained, externalLoads } = inspection;
    const { version, jobId, sha256, size } = bundle;
    const copiedAt = new Date(context.clock.now()).toISOString();
    return {
      copy: made,
      bundle: { version, jobId, sha256, size, files, pages, selfContained, externalLoads, copiedAt },
    };
  } catch (error) {
    // what is refused once is refused again
    if (error instanceof BundleRefusedError) obtained.remove();
    else obtained.release();
    throw error;
  }
}

function refuseOtherDigest(bundle: Bundle, { sha256, source }: CheckedInputs): void {
  if (sha256 === undefined || sha256 === bundle.sha256) return;
  throw new BundleRefusedError(
    `the bundle of ${describeSource(source)} has the SHA-256 ${bundle.sha256}, not ${sha256} as \`sha256\` asks for`,
    "Find out which of the two is the one that you want; a job that is packed again may give another archive.",
  );
}
