import { formatDuration } from "../time/duration";
import { formatBytes } from "./formatBytes";

/**
 * The progress line of a transfer. Changing values come first, because a row is narrow: "6% · 12.3 MB of 200 MB · 31.0 MB/s ·
 * ~6s · downloading".
 *
 * @param totalBytes `undefined` if unknown
 * @param movedBytes bytes transferred within `elapsedMs`: the bytes of an earlier run do not count for the rate
 */
export function transferLine(
  verb: string,
  doneBytes: number,
  totalBytes: number | undefined,
  elapsedMs: number,
  movedBytes: number = doneBytes,
): string {
  const rate = elapsedMs > 0 ? (movedBytes * 1_000) / elapsedMs : 0;
  const known = totalBytes !== undefined;
  return [
    known && totalBytes > 0 ? `${Math.floor((100 * doneBytes) / totalBytes)}%` : [],
    known ? `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}` : formatBytes(doneBytes),
    rate > 0 ? `${formatBytes(rate)}/s` : [],
    rate > 0 && known ? `~${formatDuration(((totalBytes - doneBytes) / rate) * 1_000)}` : [],
    verb,
  ]
    .flat()
    .join(" · ");
}
