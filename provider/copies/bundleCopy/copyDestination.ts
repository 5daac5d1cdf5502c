import { existsSync } from "node:fs";
import { BundleRefusedError } from "../../base/runtime/messages/errors";
import type { Reporter } from "../../base/runtime/messages/reporter";
import {
  type Copy,
  describeDestination,
  destinationKey,
  destinationOf,
  destinationPlace,
  editionOf,
  keepsArchives,
  kindFacts,
  ownPlaceOf,
  placesOf,
  type PublishedCopy,
  signerFrom,
} from "../../publishing/index";
import { isUnusable } from "../publication/publication";
import type { PublicationDestination } from "../publication/publicationKind";
import { preparedAdditions } from "../publication/siteAdditions";
import { describeSource, serviceOf } from "../source/bundleSource";
import { reportLeftOut } from "../source/inspect";
import type { CheckedCopyInputs } from "./inputs";
import { withScratchFolder } from "./scratchFolder";
import { copiedBundle, type MadeCopy } from "./state";

/** Where the copies of a resource are. */
export function copyDestination(inputs: CheckedCopyInputs): PublicationDestination<MadeCopy> {
  const { destination: given } = inputs;
  return {
    name: describeDestination(given),
    key: () => destinationKey(given),
    place: () => destinationPlace(given),
    ownedPlaces: () => placesOf(given),
    refusal: (urn) => kindFacts(given)?.refusal?.(urn),
    input: "destination",
    placeFor: (name) => ownPlaceOf(given, name),
    addressOf: ({ copy }) => copy.uri,
    isMissing({ copy }) {
      const path = kindFacts(given)?.localPath?.(copy.uri);
      return path !== undefined && !existsSync(path);
    },

    check: (context, copies) =>
      withScratchFolder(context, (place) => destinationOf(given).check(copies.map(copyOf), place)),

    claim: (context, copies) =>
      withScratchFolder(context, (place) => destinationOf(given).claim(copies.map(copyOf), place)),

    prepare(context, earlier) {
      const { source, sha256, signingKeyEnv, limits } = inputs;
      const { configuration, reporter, tracer } = context;
      const destination = destinationOf(given);
      const signer = signingKeyEnv === undefined ? undefined : signerFrom(signingKeyEnv, configuration);
      return async (checked, placing) => {
        const { bundle, inspection } = checked;
        if (sha256 !== undefined && sha256 !== bundle.sha256) {
          throw new BundleRefusedError(
            `the bundle of ${describeSource(source)} has the SHA-256 ${bundle.sha256}, not ${sha256} as \`sha256\` requires`,
            "Check which of the two is right. A job that is packed again may give another archive.",
          );
        }
        const isThis = (of: MadeCopy["bundle"]): boolean =>
          of.sha256 === bundle.sha256 && of.version === bundle.version;
        // an interrupted copy of the same bundle is completed: it has the files that were fetched for it
        const usable = earlier.filter((each) => !isUnusable(each) || isThis(each.bundle));
        const [before] = usable;
        const made = ({ copy, facts, changes }: PublishedCopy): MadeCopy => ({
          copy,
          bundle: {
            ...copiedBundle(checked, context.clock.now(), facts),
            // the same copy again: it still differs from the copy before it
            changes: copy.uri === before?.copy.uri ? before.bundle.changes : changes,
          },
        });
        const isArchive = keepsArchives(given);
        const isSame = before !== undefined && isThis(before.bundle);
        const published = await tracer.span("docs_hosting.bundle.publish", {}, () =>
          withScratchFolder(context, async (place) => {
            const additions = await preparedAdditions(
              context,
              inputs,
              checked,
              place.scratch,
              isSame ? (wanted) => destination.readFiles(before.copy, wanted, place) : undefined,
            );
            reportLeftOut(inspection, reporter, {
              isSitePublished: !isArchive,
              isArchivePublished: isArchive,
            });
            const edition = editionOf(bundle.sha256, additions);
            const wanted = {
              bundle,
              inspection,
              limits,
              additions,
              edition,
              before: before?.copy,
              earlier: withUsableFiles(usable, edition, inputs, reporter).map(copyOf),
              signer,
              serviceUrl: serviceOf(source),
            };
            return destination.publish(wanted, place, (placed) => placing(made(placed)));
          }),
        );
        return made(published);
      };
    },

    compare: (context, { copy }) =>
      withScratchFolder(context, (place) => destinationOf(given).compare(copy, place)),

    prune: (context, copies, [newest, ...older]) =>
      withScratchFolder(context, (place) =>
        destinationOf(given).prune(copies.map(copyOf), [newest.copy, ...older.map(copyOf)], place),
      ),

    async release(context, copies) {
      if (copies.length === 0) return;
      await withScratchFolder(context, (place) => destinationOf(given).release(copies.map(copyOf), place));
    },
  };
}

/** The earlier copies, unless the files of the one before may load what this copy must not. */
function withUsableFiles(
  earlier: readonly MadeCopy[],
  edition: string,
  { requireSelfContained, destination }: CheckedCopyInputs,
  reporter: Reporter,
): readonly MadeCopy[] {
  const before = earlier.find(({ copy }) => copy.sha256 !== edition);
  if (!requireSelfContained || before === undefined || before.bundle.selfContained) return earlier;
  if ("base" in destination && destination.maxPreviousBytes !== 0) {
    reporter.info(
      `${before.copy.uri} is not self-contained, so the image has no files of the version before, for pages that readers have open`,
    );
  }
  return [];
}

const copyOf = ({ copy }: MadeCopy): Copy => copy;
