// Durations as Go reads them («1h30m», «1.5s»): what `customTimeouts` are written in.
const unitsMs: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** @throws as the real engine does */
export function goDurationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)];
  const isWhole = parts.length > 0 && parts.map(([part]) => part).join("") === text;
  if (!isWhole) throw new Error(`unable to parse customTimeout Value ${text}`);
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}
