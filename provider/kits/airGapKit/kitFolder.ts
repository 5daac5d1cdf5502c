import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { usingFolder } from "../../base/runtime/files/diskFailure";
import { folderIdentity } from "../../base/runtime/files/samePlace";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { withScratchFolder } from "../../copies/bundleCopy/scratchFolder";
import type { PublicationDestination } from "../../copies/publication/publicationKind";
import { preparedAdditions } from "../../copies/publication/siteAdditions";
import { serviceOf } from "../../copies/source/bundleSource";
import { reportLeftOut } from "../../copies/source/inspect";
import {
  folderOwner,
  folderPlaces,
  folderRefusal,
  OciLayout,
  signerFrom,
  type WantedAdditions,
} from "../../publishing/index";
import { compareKit, pruneKits, releaseKits } from "../contents/compareKit";
import { removeKitDrafts } from "../contents/draft";
import { readEarlierKit } from "../contents/earlierKit";
import { IMAGES } from "../contents/imagesFolder";
import { siteName } from "../contents/kitImage";
import { type KitRequest, writeKit } from "../contents/writeKit";
import { draftOwner } from "./draftOwner";
import type { CheckedKitInputs } from "./inputs";
import type { MadeKit } from "./state";

/** The folder that the kits of a resource are in. */
export function kitFolder(inputs: CheckedKitInputs): PublicationDestination<MadeKit> {
  const { folder } = inputs;
  return {
    name: isUnknown(folder) ? "a folder that is not known yet" : folder,
    // `kits`, `./kits` and its absolute path are one folder
    key: () => resolve(folder),
    place: () => (isUnknown(folder) ? folder : folderIdentity(folder)),
    ownedPlaces: () => folderPlaces(folder),
    refusal: (urn) => (isUnknown(folder) ? undefined : folderRefusal(folder, urn)),
    input: "folder",
    placeFor: (name) => `\`folder: ${JSON.stringify(`${folder.replace(/[\\/]+$/, "")}/${name}`)}\``,
    addressOf: ({ kit }) => join(folder, kit.name),
    isMissing: ({ kit }) => !isUnknown(folder) && !existsSync(resolve(folder, kit.name)),

    check: (context) => usingFolder(folder, context.signal, () => folderOwner(folder, context).check()),

    claim: (context) =>
      usingFolder(folder, context.signal, async () => {
        await folderOwner(folder, context).claim();
      }),

    prepare(context, earlier) {
      const { chart, signingKeyEnv, since } = inputs;
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

    compare: (context, { kit }) =>
      usingFolder(folder, context.signal, () =>
        folderOwner(folder, context).compared(() => compareKit(folder, kit, context.reporter)),
      ),

    prune: (context, kits, [newest, ...older]) =>
      usingFolder(folder, context.signal, () =>
        pruneKits(folder, kits.map(kitOf), [newest.kit, ...older.map(kitOf)], context),
      ),

    release: (context, kits) =>
      usingFolder(folder, context.signal, async () => {
        await removeKitDrafts(folder, draftOwner(context, { folder }), context.reporter);
        await releaseKits(folder, kits.map(kitOf), context);
      }),
  };
}

const kitOf = ({ kit }: MadeKit): MadeKit["kit"] => kit;
