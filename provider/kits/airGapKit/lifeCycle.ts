import type { SharedByPublications } from "../../copies/publication/context";
import { publishedLifeCycle } from "../../copies/publication/lifeCycle";
import type { LifeCycle } from "../../resource/lifeCycle";
import { type CheckedKitInputs } from "./inputs";
import { KITS } from "./kitKind";
import { type AirGapKitState } from "./state";

type AirGapKitLifeCycle = LifeCycle<CheckedKitInputs, AirGapKitState, SharedByPublications>;

/** The life cycle of an AirGapKit: a kit that people transport to an isolated network. */
export const airGapKit: AirGapKitLifeCycle = publishedLifeCycle(KITS);
