import { InputError } from "../../base/runtime/messages/errors";
import { isUnknown } from "../../base/runtime/messages/plainText";
import { folderFailures, localFailures } from "../../copies/publication/localFailures";
import type { PublicationKind } from "../../copies/publication/publicationKind";
import { wantedIn } from "../../publishing/index";
import { chartInFolder } from "../contents/chartFacts";
import { readEarlierKit } from "../contents/earlierKit";
import { AIR_GAP_KIT_INPUTS, type CheckedKitInputs } from "./inputs";
import { kitFolder } from "./kitFolder";
import { AIR_GAP_KIT_OUTPUTS } from "./outputs";
import { type AirGapKitState, KIT_STATE, type MadeKit } from "./state";

const NOT_IMPORTED =
  "an AirGapKit cannot be imported: a kit does not contain the chart, images and values that it was made from. " +
  "Declare it with its inputs: a new kit is written beside this one. To publish the bundle of this kit, use a BundleCopy of its file.";

/** How an AirGapKit publishes: kits in a folder. */
export const KITS: PublicationKind<{ inputs: CheckedKitInputs; item: MadeKit; state: AirGapKitState }> = {
  terms: {
    resource: "AirGapKit",
    item: "kit",
    items: "kits",
    made: "written",
    action: "is written",
    of: "a kit of ",
    span: "docs_hosting.air_gap_kit",
  },
  table: AIR_GAP_KIT_INPUTS,
  outputs: AIR_GAP_KIT_OUTPUTS,
  state: KIT_STATE,
  conflicts({ images, ...inputs }) {
    if (isUnknown(images) || images.length > 0) return [];
    const reason =
      "the archive in a kit stays as the service made it. Give `images` with an nginx image: the kit's image of the site has what is added.";
    return wantedIn(inputs)
      .filter(({ options }) => !isUnknown(options))
      .map(({ name }) => ({ property: name, reason }));
  },
  localFailures: ({ folder, chart, since }) => [
    ...folderFailures("folder", folder),
    ...localFailures([
      { property: "chart", value: chart?.path, verify: chartInFolder },
      { property: "since", value: since, verify: readEarlierKit },
    ]),
  ],
  destinationOf: kitFolder,
  import: (_context, id) => Promise.reject(new InputError(`${id}: ${NOT_IMPORTED}`, "")),
};
