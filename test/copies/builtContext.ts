import fetch from "node-fetch";
import { Secrets } from "../../dist/provider/base/runtime/messages/secrets.js";
import { startDeadline, systemClock } from "../../dist/provider/base/runtime/time/clock.js";
import type { DestinationContext } from "../../dist/provider/publishing/destinations/destination.js";
import { newOwner } from "../../dist/provider/publishing/ownership/owner.js";

const silent = (): undefined => undefined;

/**
 * The context of an operation of the built package, which reports nothing: for processes whose time, memory or end is tested. All
 * processes are runs of one resource.
 *
 * @param scratch an empty folder
 * @param limitMs time limit in milliseconds
 */
export function builtContext(scratch: string, limitMs = 60_000): DestinationContext {
  return {
    fetch,
    clock: systemClock,
    reporter: { progress: silent, debug: silent, info: silent, warn: silent },
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(systemClock, limitMs),
    environment: (name) => process.env[name],
    scratch: () => Promise.resolve(scratch),
    owner: {
      ...newOwner("urn:pulumi:dev::docs::pulumi-nodejs:dynamic/docs-hosting:BundleCopy::docs"),
      id: "0123456789abcdef0123456789abcdef",
    },
  };
}
