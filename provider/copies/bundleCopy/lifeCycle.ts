import { existsSync } from "node:fs";
import { BundleRefusedError } from "../../base/runtime/messages/errors";
import { isUnknown } from "../../base/runtime/messages/plainText";
import type { Reporter } from "../../base/runtime/messages/reporter";
import {
  type AdditionFacts,
  describeDestination,
  destinationChange,
  destinationKey,
  destinationOf,
  destinationPlace,
  editionOf,
  keepsArchives,
  kindFacts,
  ownPlaceOf,
  placesOf,
  signerFrom,
  SiteDigests,
  unpackSite,
  wantedIn,
} from "../../publishing/index";
import { fromNow } from "../../resource/decision";
import type { CheckFailure } from "../../resource/inputTable";
import { isStoredLink } from "../../service/bundleLink";
import { publishedLifeCycle } from "../publication/lifeCycle";
import type { PublicationKind } from "../publication/publication";
import { fetchText, preparedAdditions } from "../publication/siteAdditions";
import { describeSource, serviceOf } from "../source/bundleSource";
import { reportLeftOut } from "../source/inspect";
import { destinationFailures } from "./destinationFailures";
import { importCopy } from "./importCopy";
import { BUNDLE_COPY_INPUTS, type CheckedInputs } from "./inputs";
import { BUNDLE_COPY_OUTPUTS } from "./outputs";
import { withScratchFolder } from "./scratchFolder";
import { changesSince, noChanges, type SiteChanges } from "./siteChanges";
import {
  type BundleCopyState,
  copiedBundle,
  inputsOf,
  isLinkSigned,
  linkTo,
  type MadeCopy,
  outputsBefore,
  stateOf,
} from "./state";

/** How a BundleCopy publishes: copies of a bundle in a folder, a bucket or a registry's repository. */
export const COPIES: PublicationKind<{ inputs: CheckedInputs; item: MadeCopy; state: BundleCopyState }> = {
  terms: {
    resource: "BundleCopy",
    item: "copy",
    items: "copies",
    made: "made",
    span: "docs_hosting.bundle_copy",
  },
  import: importCopy,
  table: BUNDLE_COPY_INPUTS,
  outputs: BUNDLE_COPY_OUTPUTS,
  noBookkeeping: { copies: [] },
  localFailures: ({ destination }) => destinationFailures(destination),

  conflicts({ destination, signingKeyEnv, ...inputs }) {
    if (kindFacts(destination)?.isImage !== false) return [];
    const failures: CheckFailure[] = [];
    if (keepsArchives(destination)) {
      const reason =
        'an archive stays as the service made it. Give the destination `layout: "site"`, or copy to a repository.';
      failures.push(...wantedIn(inputs).map(({ name }) => ({ property: name, reason })));
    }
    if (signingKeyEnv !== undefined) {
      const reason =
        "only an image has a place for a signature, and programs that verify it. Copy to a `repository`. An AirGapKit signs files.";
      failures.push({ property: "signingKeyEnv", reason });
    }
    return failures;
  },

  destinationName: ({ destination }) => describeDestination(destination),
  destinationKey: ({ destination }) => destinationKey(destination),
  placeOf: ({ destination }) => destinationPlace(destination),
  placeInput: "destination",
  placesOf: ({ destination }) => placesOf(destination),
  ownPlace: ({ destination }, name) => ownPlaceOf(destination, name),
  isMissing({ destination }, { copy }) {
    const path = kindFacts(destination)?.localPath?.(copy.uri);
    return path !== undefined && !existsSync(path);
  },
  actionText: (inputs) =>
    `${describeSource(inputs.source)} is copied to ${describeDestination(inputs.destination)}${fetchText(inputs)}`,
  subject: ({ source, destination }) => `${describeSource(source)} to ${describeDestination(destination)}`,
  addressOf: ({ copy }) => copy.uri,

  inputsOf,
  itemsOf: ({ bookkeeping }) => bookkeeping.copies,
  stateOf,
  outputsBefore,

  reasonsToPublish({ sha256, destination }, { outputs }) {
    return [
      ...(destinationChange(outputs.destination, destination) === "content" ? ["destination changed"] : []),
      ...(sha256 !== undefined && !isUnknown(sha256) && sha256 !== outputs.sha256
        ? ["the copy has another sha256 than requested"]
        : []),
    ];
  },

  reasonToSign({ destination }, { outputs, bookkeeping }, nowMs) {
    const { uri, expiresAt, renewAfter } = outputs;
    const isDamaged = isLinkSigned(destination)
      ? expiresAt !== undefined && !isStoredLink(outputs)
      : bookkeeping.copies[0]?.copy.address !== undefined && typeof outputs.bundleUrl !== "string";
    if (isDamaged) {
      const text = `the state has no valid link to ${uri}, or no valid date of it, so the link is renewed; nothing is copied`;
      return { code: "RENEW_WINDOW", text };
    }
    if (destinationChange(outputs.destination, destination) === "link") {
      return { code: "SETTINGS", text: `destination.linkLife changed: a new link to ${uri} is signed` };
    }
    if (!isLinkSigned(destination)) return undefined;
    if (expiresAt === undefined) {
      const text = `an earlier run was interrupted before it signed the link to ${uri}`;
      return { code: "RESUMED", text };
    }
    if (renewAfter === undefined || nowMs < Date.parse(renewAfter)) return undefined;
    const due = `since ${renewAfter} (${fromNow(Date.parse(renewAfter), nowMs)})`;
    return { code: "RENEW_WINDOW", text: `the link to ${uri} is due for renewal ${due}` };
  },

  prepare(context, inputs, earlier) {
    const [before] = earlier;
    const { source, sha256, signingKeyEnv, limits } = inputs;
    const { configuration, reporter, signal } = context;
    const destination = destinationOf(inputs.destination);
    const signer = signingKeyEnv === undefined ? undefined : signerFrom(signingKeyEnv, configuration);
    return async (checked, placing) => {
      const { bundle, inspection } = checked;
      if (sha256 !== undefined && sha256 !== bundle.sha256) {
        throw new BundleRefusedError(
          `the bundle of ${describeSource(source)} has the SHA-256 ${bundle.sha256}, not ${sha256} as \`sha256\` requires`,
          "Check which of the two is right. A job that is packed again may give another archive.",
        );
      }
      let added: AdditionFacts | undefined;
      let changes: SiteChanges | undefined;
      const made = (copy: MadeCopy["copy"]): MadeCopy => ({
        copy,
        bundle: {
          ...copiedBundle(checked, context.clock.now(), added ?? {}),
          // the same copy again: it still differs from the copy before it
          changes: copy.uri === before?.copy.uri ? before.bundle.changes : changes,
        },
      });
      const copy = await context.tracer.span("docs_hosting.bundle.publish", {}, () =>
        withScratchFolder(context, async (place) => {
          const isSame = before?.bundle.sha256 === bundle.sha256 && before.bundle.version === bundle.version;
          const additions = await preparedAdditions(
            context,
            inputs,
            checked,
            place.scratch,
            isSame ? (wanted) => destination.readFiles(before.copy, wanted, place) : undefined,
          );
          const edition = editionOf(bundle.sha256, additions);
          const usable = withUsableFiles(earlier, edition, inputs, reporter);
          const draft = await destination.begin(bundle, place, edition, usable.map(copyOf));
          const other = before?.copy.sha256 === edition ? undefined : before;
          const sink = draft.sink ?? (other && new SiteDigests());
          try {
            const isSitePublished = draft.sink !== undefined;
            reportLeftOut(inspection, reporter, { isSitePublished, isArchivePublished: !isSitePublished });
            await draft.tryNames?.(inspection.doubtfulNames);
            if (sink) {
              added = await unpackSite(bundle, limits, sink, { ...inspection, signal }, additions);
            }
            if (other && sink) {
              changes = await changesSince(other.copy, sink.digests(), destination, place);
            } else if (before) changes = noChanges(before.copy.uri);
            const origin = {
              bundle,
              serviceUrl: serviceOf(source),
              additions: added && wantedIn(additions),
              fetched: added?.fetchedAssets,
            };
            return await draft.publish((placed) => placing(made(placed)), signer && { signer, origin });
          } catch (error) {
            await draft.abandon?.();
            throw error;
          }
        }),
      );
      return made(copy);
    };
  },

  compare: (context, { destination }, { copy }) =>
    withScratchFolder(context, (place) => destinationOf(destination).compare(copy, place)),

  check: (context, { destination }, copies) =>
    withScratchFolder(context, (place) => destinationOf(destination).check(copies.map(copyOf), place)),

  claim: (context, { destination }, copies) =>
    withScratchFolder(context, (place) => destinationOf(destination).claim(copies.map(copyOf), place)),

  remove: (context, { destination }, copies, kept) =>
    copies.length === 0
      ? Promise.resolve()
      : withScratchFolder(context, (place) =>
          destinationOf(destination).remove(copies.map(copyOf), kept.map(copyOf), place),
        ),

  link: (context, inputs, { copy }) => linkTo(context, inputs, copy),
};

/** The life cycle of a BundleCopy. */
export const bundleCopy = publishedLifeCycle(COPIES);

/** The earlier copies, unless the files of the one before may load what this copy must not. */
function withUsableFiles(
  earlier: readonly MadeCopy[],
  edition: string,
  { requireSelfContained, destination }: CheckedInputs,
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

const copyOf = ({ copy }: MadeCopy): MadeCopy["copy"] => copy;
