// However this process ends, kill -9 included, all its descendants end with it: programs, providers, language hosts, servers. A
// process gets no notice that its parent was killed, and a busy one would not react. So each inherits a mark in its environment,
// and a shell in its own session, which Ctrl-C does not reach, waits until this process is gone and kills all processes with the
// mark. Linux only; elsewhere it finds none.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";

export const MARK = "ENDS_WITH";

// `read` ends when the pipe from here closes; a second search finds processes that were just being started
const SHELL = `read -r _
while pids=$(grep -lszxF "$1" /proc/[0-9]*/environ | cut -d/ -f3); [ -n "$pids" ]; do
  kill -9 $pids
  sleep 0.1
done`;

if (!process.env[MARK]?.startsWith(`${process.pid}-`)) start(); // once, however often this module is loaded

function start(): void {
  const mark = `${process.pid}-${randomUUID()}`;
  const shell = spawn("sh", ["-c", SHELL, "sh", `${MARK}=${mark}`], {
    detached: true,
    env: { PATH: process.env["PATH"] }, // without the mark of the parent of this process
    stdio: ["pipe", "ignore", "ignore"],
  });
  shell.on("error", () => undefined); // neither a shell nor /proc
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  process.env[MARK] = mark;
}
