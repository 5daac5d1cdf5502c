import type { ExternalAssets } from "./externalAssets";
import type { foreseenAddresses } from "./foreseenAddresses";

/** The code that fetches files of other hosts. */
interface ExternalCode {
  readonly ExternalAssets: Pick<typeof ExternalAssets, "fetch">;
  readonly foreseenAddresses: typeof foreseenAddresses;
}

/** Loads it: few sites want it, and every process that publishes a site would start later. */
export async function externalCode(): Promise<ExternalCode> {
  const [assets, foreseen] = await Promise.all([
    import("./externalAssets.js"),
    import("./foreseenAddresses.js"),
  ]);
  return { ExternalAssets: assets.ExternalAssets, foreseenAddresses: foreseen.foreseenAddresses };
}
