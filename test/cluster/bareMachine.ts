import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { findCommand, runCommand } from "../programs/commands.ts";

/** The commands that its users type, by their names and those of the variables that say where they are here. */
const PROGRAMS = { helm: "HELM", kubenode: "KUBENODE" } as const;
const KUBECTL = `#!/bin/sh\nexec kubenode kubectl "$@"\n`;
const PATH = "/usr/local/bin:/usr/bin:/bin";
const KUBECONFIG = "/root/.kube/config";

/** A machine beside the node, on its network: Debian's essential packages, curl, openssl, helm and kubectl, and nothing else. */
export interface BareMachine {
  /** Puts a file there. */
  write(path: string, text: string): Promise<void>;
  /** Mounts a read-only medium with a copy of this folder. @returns its path there */
  insert(folder: string, name: string): Promise<string>;
  /** Runs these lines in a shell, until one of them fails. @returns the output */
  type(folder: string, lines: string): Promise<string>;
  /** Runs a line in the background. @returns a function that ends it */
  leaveRunning(line: string): () => Promise<void>;
}

/** Starts one, until the test ends. */
export async function startBareMachine(context: Pick<TestContext, "onTestFinished">): Promise<BareMachine> {
  const folder = await mkdtemp(join(tmpdir(), "bare-machine-"));
  const root = join(folder, "root");
  const parts = ["root", "upper", "work"].map((name) => join(folder, name));
  for (const part of parts) await mkdir(part);
  const [, upper, work] = parts;
  const layers = `lowerdir=${given("BARE_DEBIAN")},upperdir=${upper},workdir=${work}`;
  await runCommand("mount", ["-t", "overlay", "overlay", "-o", layers, root]);
  context.onTestFinished(async () => {
    await runCommand("umount", ["--recursive", root]);
    await rm(folder, { recursive: true, force: true });
  });

  const bin = join(root, "usr/local/bin");
  for (const [name, variable] of Object.entries(PROGRAMS)) {
    await writeFile(join(bin, name), "");
    await runCommand("mount", ["--bind", given(variable), join(bin, name)]);
  }
  await writeFile(join(bin, "kubectl"), KUBECTL, { mode: 0o755 });
  await mkdir(join(root, "root/.kube"));
  await writeFile(
    join(root, KUBECONFIG),
    await runCommand("kubectl", ["config", "view", "--raw", "--flatten"]),
  );

  const env = { PATH, HOME: "/root", KUBECONFIG };
  const chroot = findCommand("chroot") ?? "chroot";
  return {
    write: (path, text) => writeFile(join(root, path), text),
    insert: async (source, name) => {
      const medium = join("/media", name);
      await mkdir(join(root, medium));
      await runCommand("mount", ["--bind", source, join(root, medium)]);
      await runCommand("mount", ["-o", "remount,bind,ro", join(root, medium)]);
      return medium;
    },
    type: (directory, lines) =>
      runCommand(chroot, [root, "sh", "-ec", `exec 2>&1; cd '${directory}'\n${lines}`], { env }),
    leaveRunning: (line) => {
      const running = spawn(chroot, [root, "sh", "-c", line], { env, stdio: "ignore", detached: true });
      const ended = once(running, "exit");
      return async () => {
        if (running.pid !== undefined && running.exitCode === null) process.kill(-running.pid);
        await ended;
      };
    },
  };
}

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
