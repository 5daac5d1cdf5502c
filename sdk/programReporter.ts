import * as pulumi from "@pulumi/pulumi";
import type { Reporter } from "../provider/messages/reporter";

/** Reports what the program itself does: its lines are on the stack's row. */
export const programReporter: Reporter = {
  progress: (line) => void pulumi.log.debug(line),
  debug: (line) => void pulumi.log.debug(line),
  info: (line) => void pulumi.log.info(line),
  warn: (line) => void pulumi.log.warn(line),
};
