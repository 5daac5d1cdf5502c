import type { BundleCopyInputs } from "../provider/copies/bundleCopy/inputs";
import type { AirGapKitInputs } from "../provider/kits/airGapKit/inputs";
import type { InputNames } from "./providedResource";

/** The names of the inputs that all resources which publish bundles have. */
export const PUBLISHING_INPUTS: InputNames<
  Pick<BundleCopyInputs, keyof BundleCopyInputs & keyof AirGapKitInputs>
> = {
  source: true,
  requireSelfContained: true,
  limits: true,
  keep: true,
  offlineSearch: true,
  llmsTxt: true,
  fetchExternal: true,
  takeOver: true,
  signingKeyEnv: true,
};
