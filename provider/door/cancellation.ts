/**
 * Notices Pulumi's `Cancel` call (Ctrl-C), which the dynamic-provider process answers without telling its providers: it
 * is seen on that process's own HTTP/2 server. Without it Ctrl-C only waits for the job as it would for any other resource.
 */
import { engineServers, type EngineServer } from "./engineServers";

const CANCEL_PATH = "/pulumirpc.ResourceProvider/Cancel";

const watched = new WeakSet<EngineServer>();

/**
 * Calls `onCancel` at each `Cancel` call from now on; watching the same server again changes nothing. The engine also sends
 * one at the normal end of every operation.
 */
export function watchForCancel(onCancel: () => void): void {
  for (const server of engineServers()) {
    if (watched.has(server)) continue;
    watched.add(server);
    server.on("stream", (_stream, headers) => {
      if (headers[":path"] === CANCEL_PATH) onCancel();
    });
  }
}
