import { publishedLifeCycle } from "../published/lifeCycle";
import { COPIES } from "./copies";

/** The life of a bundle's copy. */
export const bundleCopy = publishedLifeCycle(COPIES);
