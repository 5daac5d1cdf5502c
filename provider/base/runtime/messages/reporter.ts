import type { Secrets } from "./secrets";

/** Reports progress and messages to the user, on the resource's row. Never fails. */
export interface Reporter {
  /** The current progress: replaces the line before. */
  progress(line: string): void;
  /** A line that only `pulumi up --debug` shows. */
  debug(line: string): void;
  /**
   * A line that stays.
   *
   * @param isStep whether it reports an expected step, as the progress does: it stays because a narrow terminal and the log of a pipeline
   *   show no progress. While many operations run at once, it is only progress, because their steps would hide what matters
   */
  info(line: string, isStep?: boolean): void;
  /** A line that stays and is marked as a warning. */
  warn(line: string): void;
}

export function withoutSecrets(reporter: Reporter, secrets: Pick<Secrets, "removeFrom">): Reporter {
  return {
    progress: (line) => reporter.progress(secrets.removeFrom(line)),
    debug: (line) => reporter.debug(secrets.removeFrom(line)),
    info: (line, isStep) => reporter.info(secrets.removeFrom(line), isStep),
    warn: (line) => reporter.warn(secrets.removeFrom(line)),
  };
}

export function warningOnce(reporter: Reporter): Reporter {
  const printed = new Set<string>();
  return {
    ...reporter,
    warn: (line) => {
      if (!printed.has(line)) reporter.warn(line);
      printed.add(line);
    },
  };
}
