import type { SiteLimits } from "../archives/siteSink";
import { type BundleFile, unpackBundle } from "../inspection/bundle";
import { shownAddress } from "./assetAddresses";
import { type AssetPolicy, refusedUrl } from "./assetRequest";
import type { ExternalSite } from "./externalAssets";
import { ownFile } from "./fetchedAssets";
import { FoundTexts } from "./foundTexts";
import { ModuleNames } from "./moduleNames";
import type { FetchExternal } from "./options";
import type { AssetReference, Replacing } from "./references";
import { WantedAddresses } from "./wantedAddresses";

/**
 * The addresses that a fetch for an inspected bundle would request first, without queries: what these load is known once they are there.
 * Requests nothing.
 *
 * @throws BundleRefusedError; the signal's reason; the error of the file system
 */
export async function foreseenAddresses(
  bundle: BundleFile,
  limits: SiteLimits,
  site: ExternalSite,
  options: FetchExternal,
  { policy, signal }: { readonly policy: AssetPolicy; readonly signal: AbortSignal },
): Promise<string[]> {
  const wanted = new WantedAddresses(options);
  const found = new Set<string>();
  const want = ({ url, kind }: Pick<AssetReference, "url" | "kind">): undefined => {
    const isLeft =
      ownFile(site, url) !== undefined ||
      wanted.reasonAgainst(url, kind) !== undefined ||
      refusedUrl(url, policy) !== undefined;
    if (!isLeft) found.add(shownAddress(url));
  };
  const names = new ModuleNames((url) => want({ url, kind: "module" }));
  const noting: Replacing = {
    replace: want,
    dropsConnection: () => false,
    named: (name) => names.add(name),
    prefixed(prefix, url) {
      names.addPrefix(prefix, url);
      return new Map();
    },
  };
  const texts = new FoundTexts(noting, signal);
  await unpackBundle(bundle, limits, texts, { ...site, signal });
  texts.followModules(site.hasFile);
  return [...found];
}
