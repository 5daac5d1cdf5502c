import { execFile } from "node:child_process";
import { lookup } from "node:dns";
import { homedir, tmpdir } from "node:os";
import nodeFetch from "node-fetch";
import { systemClock } from "../base/runtime/time/clock";
import type { DoctorHost, Ended } from "./host";

/** Time limit for a program, in milliseconds: the Pulumi CLI may ask a backend. */
const PROGRAM_LIMIT_MS = 20_000;

/** This machine, and the folder that the command was started in. */
export const thisMachine: DoctorHost = {
  fetch: nodeFetch,
  lookup,
  clock: systemClock,
  environment: (name) => process.env[name],
  get folder() {
    return process.cwd(); // fails if somebody removed it
  },
  temporaryFolder: tmpdir(),
  homeFolder: homedir,
  nodeVersion: process.versions.node,
  run: (command, args) =>
    new Promise<Ended>((resolve) => {
      const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
      execFile(command, args, { timeout: PROGRAM_LIMIT_MS, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : undefined;
        resolve({ code, stdout, stderr });
      });
    }),
};
