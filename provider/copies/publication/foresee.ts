import { inTurn } from "../../base/runtime/concurrency/inTurn";
import { DeadlineExceededError, DocsHostingError } from "../../base/runtime/messages/errors";
import { firstOf } from "../../base/runtime/messages/firstOf";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { formatDuration } from "../../base/runtime/time/duration";
import { externalCode, inspectBundle } from "../../publishing/index";
import { type LimitedContext, withinLimit } from "../../resource/withinLimit";
import { obtain } from "../source/obtain";
import type { PublicationContext } from "./context";
import type { PublishedInputs } from "./publication";
import { assetPolicy } from "./siteAdditions";

/** How long a preview reads an archive, in milliseconds. */
const FORESEE_LIMIT_MS = 30_000;
/** How many addresses a preview names. */
const MAX_SHOWN = 12;

/**
 * Reports what a publication of a local file would fetch from other hosts: for a preview, without a request. Says nothing if nothing can be
 * known before the publication.
 *
 * @throws the signal's reason
 */
export async function foreseeFetch(context: PublicationContext, inputs: PublishedInputs): Promise<void> {
  const { source, limits, fetchExternal } = inputs;
  if (fetchExternal === undefined || isUnknown(fetchExternal)) return;
  if (isUnknown(source) || !("file" in source) || isUnknown(source.file)) return;
  const { reporter, configuration } = context;
  const read = async (limited: LimitedContext): Promise<string[]> => {
    const { bundle } = await obtain({ ...limited, downloads: context.downloads }, inputs);
    const inspection = await inspectBundle(bundle, limits, limited);
    const site = { ...inspection, domain: bundle.domain };
    const network = { policy: assetPolicy(configuration), signal: limited.signal };
    const { foreseenAddresses } = await externalCode();
    return foreseenAddresses(bundle, limits, site, fetchExternal, network);
  };
  try {
    const addresses = await withinLimit(context, FORESEE_LIMIT_MS, (limited) =>
      inTurn(context.publications, () => read(limited), limited, "waiting for other previews to end"),
    );
    const named = firstOf(addresses, MAX_SHOWN);
    reporter.info(
      addresses.length === 0
        ? `nothing would be fetched from other hosts: no page of ${source.file} loads what fetchExternal wants`
        : `would be fetched from other hosts: ${named}, and what these load`,
    );
  } catch (error) {
    if (error instanceof DeadlineExceededError) {
      const limit = formatDuration(FORESEE_LIMIT_MS);
      reporter.info(`what would be fetched is not named: the archive takes longer than ${limit} to read`);
    } else if (error instanceof DocsHostingError && !context.signal.aborted) {
      reporter.warn(
        `what would be fetched is not known, because the archive cannot be used: ${error.message}`,
      );
    } else throw error;
  }
}
