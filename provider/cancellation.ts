/**
 * Notices Pulumi's `Cancel` call (Ctrl-C), which the dynamic-provider process answers without telling its providers: it
 * is seen on that process's own HTTP/2 server. Undocumented, so every step is checked, and without it Ctrl-C only waits
 * for the job as it would for any other resource.
 */

const CANCEL_PATH = "/pulumirpc.ResourceProvider/Cancel";

interface Http2Server {
  on(event: "stream", listener: (stream: unknown, headers: Record<string, unknown>) => void): unknown;
}

let watched: Http2Server | undefined;

/**
 * Calls `onCancel` at each `Cancel` call from now on; a second call of this function changes nothing. The engine also
 * sends one at the normal end of every operation.
 */
export function watchForCancel(onCancel: () => void): void {
  if (watched) return;
  watched = activeHandles().find(isHttp2Server);
  watched?.on("stream", (_stream, headers) => {
    if (headers[":path"] === CANCEL_PATH) onCancel();
  });
}

function activeHandles(): unknown[] {
  const list = (process as { _getActiveHandles?: () => unknown[] })._getActiveHandles;
  return typeof list === "function" ? list.call(process) : [];
}

function isHttp2Server(handle: unknown): handle is Http2Server {
  return (
    typeof handle === "object" &&
    handle !== null &&
    handle.constructor.name === "Http2Server" &&
    typeof (handle as { on?: unknown }).on === "function"
  );
}
