// However this process ends, kill -9 included, all that it started ends with it, and all that those started: programs,
// providers, language hosts, servers. Nobody tells a process that its parent was killed, and one that is busy would not
// listen. So each inherits a mark in its environment, and a shell in a session of its own, which Ctrl-C does not reach,
// waits until this process is gone and kills whoever has the mark. Linux only; elsewhere it finds nobody.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";

export const MARK = "ENDS_WITH";

// `read` ends when the pipe from here closes; it is looked again for those that were just being started
const SHELL = `read -r _
while pids=$(grep -lszxF "$1" /proc/[0-9]*/environ | cut -d/ -f3); [ -n "$pids" ]; do
  kill -9 $pids
  sleep 0.1
done`;

if (!process.env[MARK]?.startsWith(`${process.pid}-`)) start(); // once, however often this is loaded

function start(): void {
  const mark = `${process.pid}-${randomUUID()}`;
  const shell = spawn("sh", ["-c", SHELL, "sh", `${MARK}=${mark}`], {
    detached: true,
    env: { PATH: process.env["PATH"] }, // without the mark of whoever started this process
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.on("error", () => undefined); // no shell, and no /proc either
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  process.env[MARK] = mark;
}
