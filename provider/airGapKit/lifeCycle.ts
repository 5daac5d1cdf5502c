import { publishedLifeCycle } from "../published/lifeCycle";
import { KITS } from "./kits";

/** The life of a kit that is carried by hand. */
export const airGapKit = publishedLifeCycle(KITS);
