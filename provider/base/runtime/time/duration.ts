type Unit = "h" | "m" | "s" | "ms" | "us" | "µs" | "ns";
type DurationPart = `${number}${Unit}`;

/** A duration in the format of Pulumi's `customTimeouts`: "90s", "30m", "1h30m", "24h". See https://pkg.go.dev/time#ParseDuration */
export type Duration = DurationPart | `${DurationPart}${DurationPart}` | `${number}h${number}m${number}s`;

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Parses a duration in the format of Pulumi's `customTimeouts` ("90s", "30m", "1h30m", "24h"): Go's format, see
 * https://pkg.go.dev/time#ParseDuration.
 *
 * @returns milliseconds, or `undefined` when the text is not a positive, finite duration
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    totalMs += Number(amount) * (UNIT_MS[unit ?? ""] ?? NaN);
  }
  return Number.isFinite(totalMs) && totalMs > 0 ? totalMs : undefined;
}

/** Formats a duration for messages, in its two largest units: "45s", "12m 5s", "2h 3m", "3d 4h". */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1_000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return "0s";
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(" ");
}
