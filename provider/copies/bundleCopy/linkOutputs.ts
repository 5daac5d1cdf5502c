import { type CopyLink } from "../../publishing/index";
import { linkTimes } from "../../service/renewalWindow";
import type { CopyLinkOutputs } from "../publication/publication";

/** @param signedAtMs milliseconds since 1970 */
export function linkOutputs({ url, ...link }: CopyLink, signedAtMs: number): CopyLinkOutputs {
  return { bundleUrl: url, ...linkTimes({ mintedAtMs: signedAtMs, ...link }) };
}
