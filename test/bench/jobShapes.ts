/** Percent done, as the service reports it, by the share of the job's own time that has passed (0 to 1). */
export type Progress = (share: number) => number | undefined;

/** The number of pieces of a noisy job, and by which part the pace of each may differ from the mean. */
const NOISY = { pieces: 20, part: 0.7 };

/** Shapes of a job's progress; each call creates another job of that shape. In whole percent, as most services report it. */
export const JOB_SHAPES: Readonly<Record<string, (random: () => number) => Progress>> = {
  linear: () => (share) => Math.floor(100 * share),
  noisy: (random) => {
    const paces = Array.from({ length: NOISY.pieces }, () => 1 + NOISY.part * (2 * random() - 1));
    const whole = paces.reduce((sum, pace) => sum + pace);
    return (share) => {
      const piece = share * NOISY.pieces;
      const done = paces.reduce(
        (sum, pace, index) => sum + pace * Math.min(1, Math.max(0, piece - index)),
        0,
      );
      return Math.floor((100 * done) / whole);
    };
  },
  "late burst": () => (share) => Math.floor(share < 0.9 ? (40 * share) / 0.9 : 40 + 600 * (share - 0.9)),
  "staircase of 20%": () => (share) => 20 * Math.floor(5 * share),
  "stall at 99%": () => (share) => Math.floor(Math.min(99, (99 * share) / 0.8)),
  "slow tail": () => (share) => Math.floor(share < 0.5 ? 180 * share : 90 + 20 * (share - 0.5)),
  "no progress field": () => () => undefined,
};
