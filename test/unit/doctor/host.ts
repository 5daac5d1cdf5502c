import { homedir } from "node:os";
import type { DoctorHost, Ended } from "../../../provider/doctor/host.ts";
import { VirtualClock } from "../../simulation/virtualClock.ts";

/** A machine without network and programs, for a check of one thing. */
export function bareHost(given: Partial<DoctorHost> = {}, ended?: Partial<Ended>): DoctorHost {
  return {
    fetch: () => Promise.reject(new Error("no request is expected")),
    lookup: () => {
      throw new Error("no lookup is expected");
    },
    clock: new VirtualClock(),
    environment: () => undefined,
    folder: "/projects/docs",
    temporaryFolder: "/tmp",
    homeFolder: homedir,
    nodeVersion: "24.0.0",
    run: () => Promise.resolve({ code: undefined, stdout: "", stderr: "", ...ended }),
    ...given,
  };
}
