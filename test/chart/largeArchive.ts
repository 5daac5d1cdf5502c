import { createHash } from "node:crypto";
import { SITE, tarGz } from "./tarArchive.ts";

/** Large enough to be cut off in the middle: it cannot be compressed. */
export const RANDOM = Buffer.concat(
  Array.from({ length: 1_250 }, (_, index) => createHash("sha256").update(String(index)).digest()),
);

/** The smallest site and something large. */
export const ARCHIVE = tarGz([...SITE, { name: "picture.bin", content: RANDOM }]);

/** A SHA-256 as headers of HTTP have it. */
export const base64 = (content: Buffer): string => createHash("sha256").update(content).digest("base64");

/** A SHA-256 as `fetch.sha256` has it. */
export const hex = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/** A digest of something else. */
export const OTHER = base64(Buffer.from("other"));
