const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Formats an amount of data for messages, in powers of 1000: "812 B", "12.3 MB". */
export function formatBytes(bytes: number): string {
  const unit = UNITS.findLastIndex((_, at) => at === 0 || bytes >= 999.5 * 1_000 ** (at - 1));
  const value = bytes / 1_000 ** unit;
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}
