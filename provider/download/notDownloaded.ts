import { formatBytes } from "../http/transferLine";
import { DownloadError } from "../words/errors";
import type { Part } from "./part";

/** What has arrived until now, and of what. */
export type Arrived = Pick<Part, "subject" | "size">;

/** The whole message of what ended a download. */
export function notDownloaded({ subject, size }: Arrived, message: string): string {
  return `the bundle of ${subject} was not downloaded: ${message}${size > 0 ? `; ${formatBytes(size)} had arrived` : ""}`;
}

/** The error of a store, link or bundle that is not as it should be. */
export function downloadError(arrived: Arrived, message: string, remedy: string): DownloadError {
  return new DownloadError(notDownloaded(arrived, message), remedy);
}
