// One create whose provider process is killed at a given instant.
import { setTimeout as delay } from "node:timers/promises";
import type { LoggedRequest } from "../../examples/reference-service/index.ts";
import { startsOf } from "../stack/requests.ts";
import type { World } from "../stack/world.ts";
import { ANSWER_DELAY_MS, type Instant, type Stage } from "./createTimeline.ts";

/**
 * What the service had received at the kill. «Reply on its way»: it had answered the start, but no poll had arrived, so that it
 * is unknown whether the provider had read the answer.
 */
export type Kind = Stage | "reply on its way";

/** Runs `up`, kills its provider, and waits for its end. */
export async function killCreate(world: World, instant: Instant): Promise<Kind> {
  const begun = new Map<Stage, () => void>();
  const stageBegins = new Promise<void>((resolve) => begun.set(instant.stage, resolve));
  const begin = (stage: Stage): void => begun.get(stage)?.();
  let release: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (release = resolve));
  const undo = world.service.intercept(async ({ method, path }) => {
    if (method !== "POST") return undefined;
    const isBundle = path.endsWith("/bundle");
    const stage = isBundle ? "in the bundle call" : "between start and reply";
    begin(stage);
    await (stage === instant.stage ? killed : delay(ANSWER_DELAY_MS)); // a busy machine kills late
    begin(isBundle ? "after it" : "while polling");
    return undefined;
  });
  const up = world.stack.up();
  try {
    while (world.stack.providerPids().length === 0) await delay(5);
    begin("before the start");
    await Promise.race([
      stageBegins,
      up.then(() => Promise.reject(new Error(`no stage «${instant.stage}»`))),
    ]);
    await delay(instant.afterMs);
    const pids = world.stack.providerPids();
    if (pids.length !== 1) throw new Error(`${pids.length} provider processes to kill`);
    const kind = kindOf(world.service.requests);
    for (const pid of pids) process.kill(pid, "SIGKILL");
    return kind;
  } finally {
    release();
    await up;
    undo();
  }
}

function kindOf(requests: readonly LoggedRequest[]): Kind {
  const [start] = startsOf(requests);
  if (!start) return "before the start";
  if (start.status === undefined) return "between start and reply";
  const bundle = requests.find(({ path }) => path.endsWith("/bundle"));
  if (bundle) return bundle.status === undefined ? "in the bundle call" : "after it";
  return requests.some(({ method }) => method === "GET") ? "while polling" : "reply on its way";
}
