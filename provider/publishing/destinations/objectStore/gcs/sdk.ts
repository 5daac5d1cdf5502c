import { optionalPackages } from "../optionalPackages";

const GOOGLE = optionalPackages({
  user: "a bucket of Google Cloud Storage as destination",
  library: "Google's library",
  names: ["@google-cloud/storage"],
});

/** Checks that it is installed. */
export const verifyGcsSdk = GOOGLE.verify;

/** Loads the library, which takes half a second. */
export const loadGcsSdk = (load = () => import("@google-cloud/storage")) => GOOGLE.load(load);

export type GcsSdk = Awaited<ReturnType<typeof loadGcsSdk>>;
