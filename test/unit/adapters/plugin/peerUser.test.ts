// Who may connect to the native plugin during a run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { endianness } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { isOtherUser, type System } from "../../../../provider/adapters/plugin/peerUser.ts";
import { serve } from "../../../../provider/adapters/plugin/server.ts";

const ENDS = {
  localAddress: "127.0.0.1",
  localPort: 0x1f90,
  remoteAddress: "127.0.0.2",
  remotePort: 0xabc,
};

const word = (hex: string): string =>
  endianness() === "LE" ? (hex.match(/../g) ?? []).reverse().join("") : hex;
const V4 = { own: `${word("7F000001")}:1F90`, peer: `${word("7F000002")}:0ABC` };
const mapped = (end: string): string => `${"0".repeat(16)}${word("0000FFFF")}${end}`;
const row = (local: string, remote: string, user: number, inode = 4_711): string =>
  `   7: ${local} ${remote} 01 00000000:00000000 00:00000000 00000000 ${String(user).padStart(5)}        0 ${inode} 1 0 20 4 24 10 -1`;

/** A system whose lists have these rows, seen by the user 1000. */
function system(
  tcp: readonly string[],
  tcp6: readonly string[] = [],
  user: number | undefined = 1_000,
): System {
  const files: Readonly<Record<string, readonly string[]>> = { "/proc/net/tcp": tcp, "/proc/net/tcp6": tcp6 };
  return { user, read: (file) => ["  sl  local_address …", ...(files[file] ?? [])].join("\n") };
}

const OWN_END = row(V4.own, V4.peer, 1_000);

describe("a connection", () => {
  test.for([
    ["of the same user is served", [OWN_END, row(V4.peer, V4.own, 1_000)], [], false],
    ["of root is served", [OWN_END, row(V4.peer, V4.own, 0)], [], false],
    ["of another user is refused", [OWN_END, row(V4.peer, V4.own, 1_001)], [], true],
    ["of another user over IPv6 is refused", [OWN_END], [row(mapped(V4.peer), mapped(V4.own), 1_001)], true],
    ["of the same user over IPv6 is served", [OWN_END], [row(mapped(V4.peer), mapped(V4.own), 1_000)], false],
    ["that its owner has closed is refused", [OWN_END, row(V4.peer, V4.own, 0, 0)], [], true],
    ["that is listed no more is refused", [OWN_END], [], true],
    [
      "of another user is refused beside one of this user with the same port",
      [OWN_END, row(`${word("7F000001")}:0ABC`, V4.own, 1_000), row(V4.peer, V4.own, 1_001)],
      [],
      true,
    ],
    ["is served where the system lists no connections", [], [], false],
  ] as const)("%s", ([, tcp, tcp6, isRefused]) => {
    expect(isOtherUser(ENDS, system(tcp, tcp6))).toBe(isRefused);
  });

  test("is served on systems without numbered users, and without the lists", () => {
    const rows = [OWN_END, row(V4.peer, V4.own, 1_001)];
    expect(isOtherUser(ENDS, { ...system(rows), user: undefined })).toBe(false);
    expect(isOtherUser(ENDS, { user: 1_000, read: () => undefined })).toBe(false);
  });
});

/** A connected pair on this machine. */
async function connected(): Promise<Socket> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  const [socket] = (await once(server, "connection")) as [Socket];
  onTestFinished(() => void socket.destroy());
  return socket;
}

test("this system lists a connection of this process, and it is served", async () => {
  expect(isOtherUser(await connected())).toBe(false);
});

test.runIf(process.platform === "linux" && process.getuid?.() === 0)(
  "a process of another user gets no answer from the plugin",
  async () => {
    const server = await serve({});
    onTestFinished(() => server.close());
    const ask = async (uid: number): Promise<string> => {
      // Node.js starts as root: another user may not enter the folder of its executable, such as a home folder. The process then becomes
      // the other user. The text is the beginning of HTTP/2, which a server answers with its settings
      const script = `
        process.setuid(${uid});
        const socket = require("node:net").connect(${server.port}, "127.0.0.1", () =>
          socket.write("PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n\\0\\0\\0\\x04\\0\\0\\0\\0\\0"));
        socket.once("data", () => end("answered"));
        socket.once("error", () => end("closed"));
        socket.once("close", () => end("closed"));
        const end = (how) => { process.stdout.write(how); process.exit(); };`;
      const child = spawn(process.execPath, ["-e", script], {
        cwd: "/",
        stdio: ["ignore", "pipe", "inherit"],
      });
      let text = "";
      child.stdout.on("data", (some) => (text += String(some)));
      await once(child, "close");
      return text;
    };
    expect(await ask(0)).toBe("answered");
    expect(await ask(65_534)).toBe("closed");
  },
);
