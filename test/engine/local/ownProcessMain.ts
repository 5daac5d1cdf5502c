// The other side of ownProcess.ts. It exits when it is done, or when its parent is gone.
import "../reaper.ts";
import { runOperation } from "./operation.ts";
import type { Assignment, Report } from "./ownProcess.ts";
import { StateFile } from "./stateFile.ts";
import { locked } from "./stateLock.ts";

const tell = (report: Report) => process.send?.(report);

process.once("disconnect", () => process.exit()); // ends program and provider, too
process.once("message", (assignment: Assignment) => {
  run(assignment)
    .then(
      (result) => tell({ result }),
      (error: unknown) => tell({ threw: error instanceof Error ? error.message : String(error) }),
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
      options: { ...options, onLog: (log) => tell({ log }), onText: (text) => tell({ text }) },
      onProviderStart: ({ pid }) => tell({ provider: pid }),
    }),
  );
}
