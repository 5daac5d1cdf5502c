import { loadPackages, verifyPackages } from "../optionalPackages";

const loadLibrary = () => import("@google-cloud/storage");
export type Sdk = Awaited<ReturnType<typeof loadLibrary>>;

const PACKAGES = {
  user: "a bucket of Google Cloud Storage as destination",
  library: "Google's library",
  names: ["@google-cloud/storage"],
};

/** Loads the library, which takes half a second. @throws as {@link loadPackages} */
export function loadSdk(load: () => Promise<Sdk> = loadLibrary): Promise<Sdk> {
  return loadPackages(PACKAGES, load);
}

/** Checks that it is installed. @throws as {@link verifyPackages} */
export function verifyGcsSdk(resolve?: (name: string) => string): void {
  verifyPackages(PACKAGES, resolve);
}
