import type { Secrets } from "../base/runtime/messages/secrets";
import type { Context } from "../resource/context";
import type { Options } from "./options";

/** The result of a program that has ended. */
export interface Ended {
  /** `undefined` if there is no such program, or it ran too long. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** The parts of this machine that the checks use. */
export interface DoctorHost extends Pick<Context, "fetch" | "lookup" | "clock"> {
  readonly environment: (name: string) => string | undefined;
  /** The folder that the command was started in. */
  readonly folder: string;
  readonly temporaryFolder: string;
  /** The folder of the user. Fails for a user without one. */
  readonly homeFolder: () => string;
  /** Version of Node.js, without «v». */
  readonly nodeVersion: string;
  /** Runs a program in {@link folder}. Never fails. */
  run(command: string, args: readonly string[]): Promise<Ended>;
}

/** What the checks of one command work with. */
export interface Examination {
  readonly options: Options;
  readonly host: DoctorHost;
  /** Receives the secret values that are read. */
  readonly secrets: Secrets;
}
