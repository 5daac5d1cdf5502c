/**
 * Notices Pulumi's `Cancel` call (Ctrl-C), which the dynamic-provider process answers without telling its providers: it
 * is seen on that process's own HTTP/2 server. Undocumented, so every step is checked, and without it Ctrl-C only waits
 * for the job as it would for any other resource.
 */

const CANCEL_PATH = "/pulumirpc.ResourceProvider/Cancel";

interface Http2Server {
  on(event: "stream", listener: (stream: unknown, headers: Record<string, unknown>) => void): unknown;
}

const watched = new WeakSet<Http2Server>();

/**
 * Calls `onCancel` at each `Cancel` call from now on; watching the same server again changes nothing. The engine also sends
 * one at the normal end of every operation.
 */
export function watchForCancel(onCancel: () => void): void {
  // every one of them: a server that was closed stays in the list for a while
  for (const server of activeHandles().filter(isHttp2Server)) {
    if (watched.has(server)) continue;
    watched.add(server);
    server.on("stream", (_stream, headers) => {
      if (headers[":path"] === CANCEL_PATH) onCancel();
    });
  }
}

function activeHandles(): unknown[] {
  const list = (process as { _getActiveHandles?: () => unknown[] })._getActiveHandles;
  return typeof list === "function" ? list.call(process) : [];
}

function isHttp2Server(handle: unknown): handle is Http2Server {
  return (
    typeof handle === "object" &&
    handle !== null &&
    (handle as { constructor?: { name?: unknown } }).constructor?.name === "Http2Server" &&
    typeof (handle as { on?: unknown }).on === "function"
  );
}
