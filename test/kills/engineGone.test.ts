// An engine that is killed by kill -9, alone: the provider's process ends its operation, then itself.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const ENGINE = `
  const server = require("node:net").createServer((connection) => connection.on("error", () => undefined));
  server.listen(0, "127.0.0.1", () => console.log("127.0.0.1:" + server.address().port));
`;
const PROVIDER = `
  const { Session } = require("./adapters/session/session.js");
  const { publications } = require("./adapters/session/publications.js");
  const { dynamicHost } = require("./adapters/dynamic/dynamicHost.js");
  const { Secrets } = require("./runtime/messages/secrets.js");
  const session = new Session(dynamicHost, publications(dynamicHost));
  session.configure({ stackConfig: () => undefined });
  setInterval(() => undefined, 1_000); // the host has its server
  session
    .operation("create", {}, new Secrets(), ({ signal }) => new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        console.log(signal.reason.message);
        reject(signal.reason);
      });
    }));
  setTimeout(() => console.log("busy"), 300);
`;

function start(program: string, ...args: string[]) {
  const cwd = join(import.meta.dirname, "../../dist/provider");
  const child = spawn(process.execPath, ["-e", program, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("a provider whose engine was killed ends its operation and itself", async () => {
  const engine = start(ENGINE);
  const [address] = (await once(engine.stdout, "data")) as [Buffer];
  const provider = start(PROVIDER, address.toString().trim());
  const ended = once(provider, "exit");
  let output = "";
  provider.stdout.on("data", (text: Buffer) => (output += text.toString()));
  await once(provider.stdout, "data");
  expect(provider.exitCode).toBeNull();
  engine.kill("SIGKILL");
  expect(await ended).toEqual([1, null]);
  expect(output).toBe("busy\nPulumi ended before the operation\n");
}, 30_000);
