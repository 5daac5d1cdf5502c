// The interface of a stack for scenarios, for both engines. The two implementations are `local/` (the engine of this folder) and
// `cli/` (the real `pulumi`).

export type EngineKind = "local" | "cli";

export interface StackSettings {
  /** Folder of the program, or a file in it (`index.ts`): a file runs as that file, with its folder as working directory. */
  program: string;
  project: string;
  stack: string;
  /** The folder for all files. A second `openStack` with the same folder continues the stack. */
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
  /** Native plugins: the file of Node.js of each, by its package, as `plugins.providers` of Pulumi.yaml names folders. */
  plugins?: Record<string, string>;
}

export interface OperationOptions {
  /** Resource operations at once. @default 16 */
  parallel?: number;
  /** URNs; other resources stay as they are. */
  targets?: string[];
  /** All dependants of targets are targets, too. */
  targetDependents?: boolean;
  /** URNs that stay as they are, and, in deletions, all their dependencies. */
  excludes?: string[];
  /** `preview` and `up`: URNs of resources that are replaced, changed or not. */
  replaces?: string[];
  /** `up` and `destroy`: after a failure, continue with resources that do not depend on it. */
  continueOnError?: boolean;
  /** All but `refresh`: refresh first. */
  refresh?: boolean;
  /** `refresh` and `destroy`: run the program, which they otherwise do not. */
  runProgram?: boolean;
  /** Abort is Ctrl-C, once: nothing new is started, running steps are waited for. */
  signal?: AbortSignal;
  /** Abort is Ctrl-C twice: the provider gets SIGINT, 5 s later SIGKILL, and its later results are dropped. */
  terminate?: AbortSignal;
  /**
   * Abort is `kill -9` of engine, program and provider at once; not with the two above. The lock is then removed, as a user
   * would.
   */
  kill?: AbortSignal;
  onLog?: (line: LogLine) => void;
  /** The visible output, as it happens. */
  onText?: (text: string) => void;
}

/** Debug lines are left out: users do not see them, and the SDK prints secrets in them. */
export interface LogLine {
  severity: "info" | "warning" | "error";
  message: string;
  /** The resource whose row shows the line; absent for the stack's row. */
  urn?: string;
  /** Lines of one stream belong together; 0 is no stream. The CLI's event log lacks it: always 0 there. */
  streamId: number;
  /** Shown while it is current, not repeated under «Diagnostics». */
  ephemeral: boolean;
}

/** The real engine's names. A replacement is «create-replacement», «replace» and «delete-replaced», in this order. */
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
  | "discard"
  | "import";

export interface Step {
  op: StepOp;
  urn: string;
  error?: string;
  /** Top-level keys of the inputs that changed, when the engine (not the provider) compared them. */
  diff?: string[];
}

/** The request to `pulumi import`. */
export interface ImportedResource {
  type: string;
  name: string;
  id: string;
}

export type ImportResult = OperationResult & {
  /** Only the CLI generates any: it asks the language host, with the plugin's schema. */
  program?: string;
};

export interface OutputValue {
  value: unknown;
  secret: boolean;
}

export interface OperationResult {
  ok: boolean;
  /** The error messages, or the reason for the end of the operation, when not `ok`. */
  error?: string;
  /** Steps by name, as under «Resources:»: a replacement counts once, as «replace». */
  summary: Partial<Record<StepOp, number>>;
  /** In the order in which they ended. */
  steps: Step[];
  /** Of the stack. In a preview, an unknown value is `unknownValue`, and a secret «[secret]». */
  outputs: Record<string, OutputValue>;
  logs: LogLine[];
  /** All output of the terminal. */
  text: string;
}

/** The real engine's mark for an unknown value in a preview. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** One resource of the state, secrets in plain text. Providers are left out. */
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
  /** Reference to the provider that the program gave it; absent for the default one. */
  provider?: string;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  additionalSecretOutputs: string[];
  initErrors: string[];
  protect: boolean;
  retainOnDelete: boolean;
  /** Read with `.get`, not managed. */
  external: boolean;
  /** Replaced; its deletion is pending. */
  pendingDeletion: boolean;
}

/** A step that was under way when the engine was killed or terminated: its result is unknown. */
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
  /** `pulumi import`. @returns also the printed program, from the CLI */
  import(resources: ImportedResource[], options?: OperationOptions): Promise<ImportResult>;
  /** Lasts as long as this handle: a later `openStack` starts with its own settings. */
  setConfig(name: string, value: string, options?: { secret?: boolean }): Promise<void>;
  /** Encrypts everything again. This handle continues with the new passphrase; a later `openStack` needs it. */
  changePassphrase(passphrase: string): Promise<void>;
  exportState(): Promise<StateResource[]>;
  /** Replaces the whole state. */
  importState(resources: StateResource[]): Promise<void>;
  /** `pulumi state taint`: the next `up` replaces these resources, changed or not. */
  taint(urns: readonly string[]): Promise<void>;
  /** All files, backups and history included, to search them for secrets. */
  stateFiles(): Promise<string[]>;
  /** Provider processes of the running operation, for a test that kills one. */
  providerPids(): number[];
  /** Forgets the stack and its files, with all resources. */
  remove(): Promise<void>;
}
