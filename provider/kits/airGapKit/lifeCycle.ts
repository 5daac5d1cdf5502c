import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { usingFolder } from "../../base/runtime/files/diskFailure";
import { folderIdentity } from "../../base/runtime/files/samePlace";
import { InputError } from "../../base/runtime/messages/errors";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { withScratchFolder } from "../../copies/bundleCopy/scratchFolder";
import { publishedLifeCycle } from "../../copies/publication/lifeCycle";
import { folderFailures, localFailures } from "../../copies/publication/localFailures";
import type { PublicationKind } from "../../copies/publication/publication";
import { fetchText, preparedAdditions } from "../../copies/publication/siteAdditions";
import { describeSource, serviceOf } from "../../copies/source/bundleSource";
import { reportLeftOut } from "../../copies/source/inspect";
import {
  folderOwner,
  folderPlaces,
  OciLayout,
  signerFrom,
  type WantedAdditions,
  wantedIn,
} from "../../publishing/index";
import type { LimitedContext } from "../../resource/withinLimit";
import { chartInFolder } from "../contents/chartFacts";
import { compareKit, removeKits } from "../contents/compareKit";
import { removeDrafts } from "../contents/draft";
import { readEarlierKit } from "../contents/earlierKit";
import { siteName } from "../contents/kitImage";
import { IMAGES } from "../contents/ociLayout";
import { type KitRequest, writeKit } from "../contents/writeKit";
import { AIR_GAP_KIT_INPUTS, type CheckedInputs } from "./inputs";
import { AIR_GAP_KIT_OUTPUTS } from "./outputs";
import { type AirGapKitState, inputsOf, type MadeKit, outputsBefore, stateOf } from "./state";

const NOT_IMPORTED =
  "an AirGapKit cannot be imported: a kit does not contain the chart, images and values that it was made from. " +
  "Declare it with its inputs: a new kit is written beside this one. To publish the bundle of this kit, use a BundleCopy of its file.";

/** How an AirGapKit publishes: kits in a folder. */
export const KITS: PublicationKind<{ inputs: CheckedInputs; item: MadeKit; state: AirGapKitState }> = {
  terms: {
    resource: "AirGapKit",
    item: "kit",
    items: "kits",
    made: "written",
    span: "docs_hosting.air_gap_kit",
  },
  import: (_context, id) => Promise.reject(new InputError(`${id}: ${NOT_IMPORTED}`, "")),
  table: AIR_GAP_KIT_INPUTS,
  outputs: AIR_GAP_KIT_OUTPUTS,
  noBookkeeping: { kits: [] },
  localFailures: ({ folder, chart, since }) => [
    ...folderFailures("folder", folder),
    ...localFailures([
      { property: "chart", value: chart?.path, verify: chartInFolder },
      { property: "since", value: since, verify: readEarlierKit },
    ]),
  ],

  conflicts({ images, ...inputs }) {
    if (isUnknown(images) || images.length > 0) return [];
    const reason =
      "the archive in a kit stays as the service made it. Give `images` with an nginx image: the kit's image of the site has what is added.";
    return wantedIn(inputs)
      .filter(({ options }) => !isUnknown(options))
      .map(({ name }) => ({ property: name, reason }));
  },

  destinationName,
  placeInput: "folder",
  placesOf: ({ folder }) => folderPlaces(folder),
  ownPlace: ({ folder }, name) => `\`folder: ${JSON.stringify(`${folder.replace(/[\\/]+$/, "")}/${name}`)}\``,
  // `kits`, `./kits` and its absolute path are one folder
  destinationKey: ({ folder }) => resolve(folder),
  placeOf: ({ folder }) => (isUnknown(folder) ? folder : folderIdentity(folder)),
  isMissing: ({ folder }, { kit }) => !isUnknown(folder) && !existsSync(resolve(folder, kit.name)),
  actionText: (inputs) =>
    `a kit of ${describeSource(inputs.source)} is written to ${destinationName(inputs)}${fetchText(inputs)}`,
  subject: ({ source }) => `a kit of ${describeSource(source)}`,
  addressOf: ({ kit }, { folder }) => join(folder, kit.name),

  inputsOf,
  itemsOf: ({ bookkeeping }) => bookkeeping.kits,
  stateOf,
  outputsBefore,
  reasonsToPublish: () => [],

  prepare(context, inputs, earlier) {
    const { folder, chart, signingKeyEnv, since } = inputs;
    const { configuration, reporter, signal } = context;
    const { environment } = configuration;
    const signer = signingKeyEnv === undefined ? undefined : signerFrom(signingKeyEnv, configuration);
    const sinceKit = since === undefined ? undefined : readEarlierKit(since);
    return async ({ bundle, inspection }, placing) => {
      reportLeftOut(inspection, reporter, { isSitePublished: true, isArchivePublished: true });
      const { version, jobId, sha256: bundleSha256, size } = bundle;
      const { files, pages, selfContained, externalLoads } = inspection;
      const made = (kit: MadeKit["kit"]): MadeKit => ({
        kit,
        bundle: {
          version,
          jobId,
          bundleSha256,
          size,
          files,
          pages,
          // of the image, if something was fetched for it
          selfContained: kit.search?.selfContained ?? selfContained,
          externalLoads: kit.search?.externalLoads ?? externalLoads,
        },
      });
      const requestWith = (additions: WantedAdditions): KitRequest => ({
        ...inputs,
        bundle: { ...bundle, ...inspection },
        serviceUrl: serviceOf(inputs.source),
        additions,
        chart: chart?.path,
        signer,
        since: sinceKit,
        earlier: earlier.map(({ kit }) => join(folder, kit.name)),
      });
      const owner = draftOwner(context, inputs);
      const kit = await withScratchFolder(context, async ({ scratch }) => {
        const [before] = earlier;
        const isSame = before?.bundle.bundleSha256 === bundleSha256 && before.bundle.version === version;
        const additions = await preparedAdditions(
          context,
          inputs,
          { bundle, inspection },
          scratch,
          isSame
            ? (wanted) =>
                new OciLayout(join(folder, before.kit.name, IMAGES)).readSite(
                  siteName(version),
                  wanted,
                  signal,
                )
            : undefined,
        );
        return context.tracer.span("docs_hosting.kit.write", {}, () =>
          usingFolder(folder, signal, () =>
            writeKit(
              requestWith(additions),
              { folder, owner, placing: (placed) => placing(made(placed)) },
              { ...context, environment },
            ),
          ),
        );
      });
      return made(kit);
    };
  },

  check: (context, { folder }) =>
    usingFolder(folder, context.signal, () => folderOwner(folder, context).check()),

  claim: (context, { folder }) =>
    usingFolder(folder, context.signal, async () => {
      await folderOwner(folder, context).claim();
    }),

  compare: (context, { folder }, { kit }) =>
    usingFolder(folder, context.signal, () =>
      folderOwner(folder, context).compared(() => compareKit(folder, kit, context.reporter)),
    ),

  remove: (context, { folder }, kits, kept) =>
    usingFolder(folder, context.signal, async () => {
      if (kept.length === 0) await removeDrafts(folder, draftOwner(context, { folder }), context.reporter);
      await removeKits(folder, kits.map(kitOf), kept.map(kitOf), context);
    }),
};

/** The life cycle of an AirGapKit: a kit that people transport to an isolated network. */
export const airGapKit = publishedLifeCycle(KITS);

/** Distinguishes the drafts of this resource from those of other resources that write to the same folder. */
export function draftOwner(
  { urn = "" }: Pick<LimitedContext, "urn">,
  { folder }: Pick<CheckedInputs, "folder">,
): string {
  return JSON.stringify([urn, folder]);
}

function destinationName({ folder }: CheckedInputs): string {
  return isUnknown(folder) ? "a folder that is not known yet" : folder;
}

const kitOf = ({ kit }: MadeKit): MadeKit["kit"] => kit;
