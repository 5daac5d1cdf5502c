import { unpackBundle } from "../archive/bundle";
import type { Bundle } from "../destination/destination";
import { verifySdk } from "../destination/bucket/sdk";
import { destinationOf, nameOfDestination } from "../destination/destinationOf";
import { destinationChange, destinationKey } from "../destination/inputs";
import { publishedLifeCycle } from "../published/lifeCycle";
import { folderFailures, localFailures } from "../published/localFailures";
import type { PublicationKind } from "../published/publication";
import { fromNow } from "../resource/decision";
import { describeSource } from "../source/bundleSource";
import { siteLimits } from "../source/inspect";
import { withScratch } from "../source/workFolders";
import { isUnknown } from "../messages/unknown";
import { BundleRefusedError } from "../messages/errors";
import { BUNDLE_COPY_INPUTS, type CheckedInputs } from "./inputs";
import { inputsOf, isLinkSigned, linkOutputs, stateOf, type BundleCopyState, type MadeCopy } from "./state";

/** How a BundleCopy publishes: copies of a bundle in a folder, a bucket or a registry's repository. */
export const COPIES: PublicationKind<{ inputs: CheckedInputs; item: MadeCopy; state: BundleCopyState }> = {
  words: {
    resource: "BundleCopy",
    item: "copy",
    items: "copies",
    made: "made",
    span: "docs_hosting.bundle_copy",
  },
  table: BUNDLE_COPY_INPUTS,
  noBookkeeping: { copies: [] },
  failuresHere({ destination }) {
    if (isUnknown(destination)) return [];
    if ("folder" in destination) return folderFailures("destination.folder", destination.folder);
    return "bucket" in destination
      ? localFailures([
          { property: "destination.bucket", value: destination.bucket, verify: () => verifySdk() },
        ])
      : [];
  },

  destinationName: ({ destination }) => nameOfDestination(destination),
  destinationKey: ({ destination }) => destinationKey(destination),
  deed: ({ source, destination }) =>
    `${describeSource(source)} is copied to ${nameOfDestination(destination)}`,
  subject: ({ source, destination }) => `${describeSource(source)} to ${nameOfDestination(destination)}`,
  addressOf: ({ copy }) => copy.uri,

  inputsOf,
  itemsOf: ({ bookkeeping }) => bookkeeping.copies,
  linkOf({ outputs: { bundleUrl, expiresAt, renewAfter } }) {
    return {
      ...(bundleUrl !== undefined && { bundleUrl }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(renewAfter !== undefined && { renewAfter }),
    };
  },
  stateOf,

  reasonsToPublish({ sha256, destination }, { outputs }) {
    return [
      ...(destinationChange(outputs.destination, destination) === "content" ? ["destination changed"] : []),
      ...(sha256 !== undefined && !isUnknown(sha256) && sha256 !== outputs.sha256
        ? ["another sha256 is wanted"]
        : []),
    ];
  },

  reasonToSign({ destination }, { outputs }, nowMs) {
    const { uri, expiresAt, renewAfter } = outputs;
    if (destinationChange(outputs.destination, destination) === "link") {
      return { because: "SETTINGS", text: `destination.linkLife changed: another link to ${uri} is made` };
    }
    if (!isLinkSigned(destination)) return undefined;
    if (expiresAt === undefined) {
      const text = `an earlier run was cut off before it signed the link to ${uri}`;
      return { because: "RESUMED", text };
    }
    if (renewAfter === undefined || nowMs < Date.parse(renewAfter)) return undefined;
    const due = `since ${renewAfter} (${fromNow(Date.parse(renewAfter), nowMs)})`;
    return { because: "RENEW_WINDOW", text: `the link to ${uri} is due for renewal ${due}` };
  },

  prepare(context, inputs) {
    const destination = destinationOf(inputs.destination);
    return async ({ bundle, inspection }, placing) => {
      refuseOtherDigest(bundle, inputs);
      const { files, pages, selfContained, externalLoads, root } = inspection;
      const { version, jobId, sha256, size } = bundle;
      const made = (copy: MadeCopy["copy"]): MadeCopy => {
        const copiedAt = new Date(context.clock.now()).toISOString();
        return {
          copy,
          bundle: { version, jobId, sha256, size, files, pages, selfContained, externalLoads, copiedAt },
        };
      };
      const copy = await context.tracer.span("docs_hosting.bundle.publish", {}, () =>
        withScratch(context, async (place) => {
          const draft = await destination.begin(bundle, place);
          try {
            if (draft.sink) {
              const { signal } = context;
              await unpackBundle(bundle, siteLimits(inputs), draft.sink, { signal, root });
            }
            return await draft.publish((placed) => placing(made(placed)));
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
    withScratch(context, (place) => destinationOf(destination).compare(copy, place)),

  remove: (context, { destination }, copies, kept) =>
    copies.length === 0
      ? Promise.resolve()
      : withScratch(context, (place) =>
          destinationOf(destination).remove(copies.map(copyOf), kept.map(copyOf), place),
        ),

  link(context, inputs, { copy }) {
    const destination = destinationOf(inputs.destination);
    // the publication returns an address that needs no signature
    const isKnown = !isLinkSigned(inputs.destination) && copy.address !== undefined;
    if (isKnown || !destination.link) return Promise.resolve(undefined);
    const { link } = destination;
    const signedAtMs = context.clock.now();
    return withScratch(context, async (place) => linkOutputs(await link(copy, place), signedAtMs));
  },
};

/** The life cycle of a BundleCopy. */
export const bundleCopy = publishedLifeCycle(COPIES);

const copyOf = ({ copy }: MadeCopy): MadeCopy["copy"] => copy;

function refuseOtherDigest(bundle: Bundle, { sha256, source }: CheckedInputs): void {
  if (sha256 === undefined || sha256 === bundle.sha256) return;
  throw new BundleRefusedError(
    `the bundle of ${describeSource(source)} has the SHA-256 ${bundle.sha256}, not ${sha256} as \`sha256\` asks for`,
    "Find out which of the two is the one that you want; a job that is packed again may give another archive.",
  );
}
