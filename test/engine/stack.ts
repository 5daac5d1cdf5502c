// What a scenario needs to know of a stack, whichever engine runs it. The two implementations are `local/` (the
// engine of this folder) and `cli/` (the real `pulumi`).

export type EngineKind = "local" | "cli";

export interface StackSettings {
  /** Folder of the program, or a file in it (`index.ts`): a file runs as that file, with its folder as working directory. */
  program: string;
  project: string;
  stack: string;
  /** Everything that is kept goes here. A second `openStack` with the same folder continues the stack. */
  stateFolder: string;
  passphrase: string;
  /** Keys without a namespace belong to the project, as on the command line. */
  config?: Record<string, string>;
  secretConfig?: Record<string, string>;
  /** Added to this process's environment, for the program and the provider; `undefined` unsets. */
  env?: Record<string, string | undefined>;
  /**
   * The local engine runs programs (CommonJS) and providers in processes that have run others, which saves most of their time;
   * the CLI never does. @default false
   */
  reuseProcesses?: boolean;
}

export interface OperationOptions {
  /** Resource operations at once. @default 16 */
  parallel?: number;
  /** URNs; everything else is left as it is. */
  targets?: string[];
  /** Whatever depends on the targets is one, too. */
  targetDependents?: boolean;
  /** URNs that are left as they are, and, when resources are deleted, whatever they depend on. */
  excludes?: string[];
  /** `preview` and `up`: URNs of resources that are replaced, changed or not. */
  replaces?: string[];
  /** `up` and `destroy`: after a failure go on with what doesn't depend on it. */
  continueOnError?: boolean;
  /** Of any but `refresh`: refresh first. */
  refresh?: boolean;
  /** Of `refresh`: forget the creations that an earlier run was cut off in. */
  clearPendingCreates?: boolean;
  /** `refresh` and `destroy`: run the program, which they otherwise leave out. */
  runProgram?: boolean;
  /** Abort means Ctrl-C, once: nothing new is started, running steps are waited for. */
  signal?: AbortSignal;
  /** Abort means Ctrl-C twice: the provider gets SIGINT, 5 s later SIGKILL, and nothing that it returns is kept. */
  terminate?: AbortSignal;
  /** Abort means `kill -9` of engine, program and provider at once; not beside the two above. The lock is then taken away, as a user would. */
  kill?: AbortSignal;
  onLog?: (line: LogLine) => void;
  /** What a person would see, as it happens. */
  onText?: (text: string) => void;
}

/** Debug lines are left out: nobody sees them, and the SDK prints secrets in them. */
export interface LogLine {
  severity: "info" | "warning" | "error";
  message: string;
  /** The resource whose row shows the line; absent for the stack's row. */
  urn?: string;
  /** Lines of one stream belong together; 0 is no stream. The CLI's event log doesn't tell: always 0 there. */
  streamId: number;
  /** Shown while it is current, not repeated under «Diagnostics». */
  ephemeral: boolean;
}

/** The real engine's names. A replacement is «create-replacement», «replace» and «delete-replaced», in the order done. */
export type StepOp =
  | "same"
  | "create"
  | "update"
  | "delete"
  | "replace"
  | "create-replacement"
  | "delete-replaced"
  | "read"
  | "refresh"
  | "discard";

export interface Step {
  op: StepOp;
  urn: string;
  error?: string;
  /** Top-level keys of the inputs that changed, when the engine (not the provider) compared them. */
  diff?: string[];
}

export interface OutputValue {
  value: unknown;
  secret: boolean;
}

export interface OperationResult {
  ok: boolean;
  /** The error messages, or why the operation ended, when not `ok`. */
  error?: string;
  /** Steps by name, as under «Resources:»: a replacement counts once, as «replace». */
  summary: Partial<Record<StepOp, number>>;
  /** In the order in which they ended. */
  steps: Step[];
  /** Of the stack. In a preview, what can't be known yet is `unknownValue`, and a secret «[secret]». */
  outputs: Record<string, OutputValue>;
  logs: LogLine[];
  /** Everything a person would have seen on the terminal. */
  text: string;
}

/** The real engine's mark for a value that a preview can't know. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** One resource of the state, secrets in plain text. Default providers are left out. */
export interface StateResource {
  urn: string;
  type: string;
  custom: boolean;
  id?: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  /** Top-level keys whose values are, or contain, secrets. */
  secretInputs: string[];
  secretOutputs: string[];
  parent?: string;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  additionalSecretOutputs: string[];
  initErrors: string[];
  protect: boolean;
  retainOnDelete: boolean;
  /** Read with `.get`, not managed. */
  external: boolean;
  /** Replaced, its deletion is still to come. */
  pendingDeletion: boolean;
}

/** A step that was under way when the engine was killed or terminated: what came of it, nobody knows. */
export interface PendingOperation {
  urn: string;
  type: "creating" | "updating" | "deleting" | "reading";
}

/** The error of a run that was ended by `kill`. */
export const killedMessage = "the run was killed";

export interface Stack {
  readonly kind: EngineKind;
  preview(options?: OperationOptions): Promise<OperationResult>;
  up(options?: OperationOptions): Promise<OperationResult>;
  refresh(options?: OperationOptions): Promise<OperationResult>;
  destroy(options?: OperationOptions): Promise<OperationResult>;
  /** Lasts as long as this handle: a later `openStack` starts from its own settings. */
  setConfig(name: string, value: string, options?: { secret?: boolean }): Promise<void>;
  /** Encrypts everything anew. This handle goes on with the new passphrase; a later `openStack` must be given it. */
  changePassphrase(passphrase: string): Promise<void>;
  exportState(): Promise<StateResource[]>;
  /** Replaces the whole state. */
  importState(resources: StateResource[]): Promise<void>;
  pendingOperations(): Promise<PendingOperation[]>;
  /** Every file that was kept, backups and history included, for searches for what must not be there. */
  stateFiles(): Promise<string[]>;
  /** Provider processes of the operation that is running now, for a test that kills one. */
  providerPids(): number[];
  /** Forgets the stack and its files, whatever is in it. */
  remove(): Promise<void>;
}
