import type { Secrets } from "./secrets";

/** Tells the user what is going on, on the resource's own row. Never fails. */
export interface Reporter {
  /** What is going on at the moment: replaces what was said before. */
  progress(line: string): void;
  /** A line for those who look for a cause (`pulumi up --debug`); nobody else sees it. */
  debug(line: string): void;
  /** A line that stays. */
  info(line: string): void;
  /** A line that stays and is marked as a warning. */
  warn(line: string): void;
}

/** The same reporter, which says nothing of what is secret. */
export function withoutSecrets(reporter: Reporter, secrets: Pick<Secrets, "removeFrom">): Reporter {
  return {
    progress: (line) => reporter.progress(secrets.removeFrom(line)),
    debug: (line) => reporter.debug(secrets.removeFrom(line)),
    info: (line) => reporter.info(secrets.removeFrom(line)),
    warn: (line) => reporter.warn(secrets.removeFrom(line)),
  };
}

/** The same reporter, which says each warning once. */
export function warningOnce(reporter: Reporter): Reporter {
  const said = new Set<string>();
  return {
    ...reporter,
    warn: (line) => {
      if (!said.has(line)) reporter.warn(line);
      said.add(line);
    },
  };
}
