// the types of the module that `import()` loads
import type * as Storage from "@google-cloud/storage" with { "resolution-mode": "import" };
import { optionalPackages, type VerifyPackages } from "../optionalPackages";

export type GcsSdk = typeof Storage;
export type GcsStorage = Storage.Storage;

const GOOGLE = optionalPackages({
  user: "a bucket of Google Cloud Storage as destination",
  library: "Google's library",
  names: ["@google-cloud/storage"],
});

/** Checks that it is installed. */
export const verifyGcsSdk: VerifyPackages = GOOGLE.verify;

/** Loads the library, which takes half a second. */
export const loadGcsSdk = (
  load: () => Promise<GcsSdk> = () => import("@google-cloud/storage"),
): Promise<GcsSdk> => GOOGLE.load(load);
