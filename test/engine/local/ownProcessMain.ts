// The other side of ownProcess.ts. It exits when it is done, or when its parent is gone.
import "../reaper.ts";
import { runOperation } from "./operation.ts";
import type { Assignment, Report } from "./ownProcess.ts";
import { StateFile } from "./stateFile.ts";
import { locked } from "./stateLock.ts";

const sendReport = (report: Report) => process.send?.(report);

process.once("disconnect", () => process.exit()); // ends program and provider, too
process.once("message", (assignment: Assignment) => {
  run(assignment)
    .then(
      (result) => sendReport({ result }),
      (error: unknown) => sendReport({ threw: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => process.disconnect());
});

function run({ kind, path, passphrase, config, setup, options }: Assignment) {
  return locked(path, () =>
    runOperation(kind, {
      ...setup,
      reuseProcesses: false,
      config: new Map(config),
      file: new StateFile(path, passphrase),
      options: { ...options, onLog: (log) => sendReport({ log }), onText: (text) => sendReport({ text }) },
      onProviderStart: ({ pid }) => sendReport({ provider: pid }),
    }),
  );
}
