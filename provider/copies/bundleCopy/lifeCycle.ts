import type { LifeCycle } from "../../resource/lifeCycle";
import type { SharedByPublications } from "../publication/context";
import { publishedLifeCycle } from "../publication/lifeCycle";
import { COPIES } from "./copyKind";
import { type CheckedCopyInputs } from "./inputs";
import { type BundleCopyState } from "./state";

type BundleCopyLifeCycle = LifeCycle<CheckedCopyInputs, BundleCopyState, SharedByPublications>;

/** The life cycle of a BundleCopy. */
export const bundleCopy: BundleCopyLifeCycle = publishedLifeCycle(COPIES);
