/** A server that the engine calls, as much of it as is used. */
export interface EngineServer {
  on(
    event: "stream",
    listener: (stream: EngineStream, headers: Readonly<Record<string, unknown>>) => void,
  ): unknown;
}

/** What arrives with a call. */
export interface EngineStream {
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
}

/**
 * The HTTP/2 server of Pulumi's dynamic-provider process, on which the engine's calls arrive, with what that process tells no
 * provider. Undocumented, so whatever is found may be missing.
 *
 * @returns every one: a server that was closed stays in the list for a while
 */
export function engineServers(): EngineServer[] {
  const list = (process as { _getActiveHandles?: () => unknown[] })._getActiveHandles;
  return (typeof list === "function" ? list.call(process) : []).filter(isHttp2Server);
}

function isHttp2Server(handle: unknown): handle is EngineServer {
  return (
    typeof handle === "object" &&
    handle !== null &&
    (handle as { constructor?: { name?: unknown } }).constructor?.name === "Http2Server" &&
    typeof (handle as { on?: unknown }).on === "function"
  );
}
