import fetch from "node-fetch";
import { Secrets } from "../../provider/base/runtime/messages/secrets.ts";
import { startDeadline, systemClock } from "../../provider/base/runtime/time/clock.ts";
import { RegistryClient } from "../../provider/publishing/images/registry/client.ts";
import { parseRepository } from "../../provider/publishing/images/registry/reference.ts";
import { recordingReporter } from "./recordingReporter.ts";
import type { RegistryStub } from "./registryStub.ts";

/** A client of the repository `docs/site` of a registry, for a minute. */
export function openRegistryClient({ host }: RegistryStub, actions: "pull" | "pull,push"): RegistryClient {
  const environment = {
    fetch,
    clock: systemClock,
    reporter: recordingReporter(),
    secrets: new Secrets(),
    signal: new AbortController().signal,
    deadline: startDeadline(systemClock, 60_000),
    environment: () => undefined,
  };
  return new RegistryClient(parseRepository(`${host}/docs/site`), environment, { actions, plainHttp: true });
}
