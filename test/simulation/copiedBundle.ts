import type { Bundle } from "../../provider/publishing/inspection/bundle.ts";

/** A bundle with its origin; its file is not used. */
export const BUNDLE: Bundle = {
  path: "/nowhere",
  format: "tar.gz",
  sha256: "ab".repeat(32),
  size: 10,
  version: "v1",
  jobId: "job-1",
  domain: "docs.example.com",
};
