import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type Manifest, mountConfiguration, only, render, serving } from "./renderedChart.ts";

/** The two kinds of system that the script may run on in an image. */
export const SYSTEMS = ["busybox", "dash and GNU"] as const;
export type System = (typeof SYSTEMS)[number];

/** In every link of these tests: the link has leaked when this is in any output, process or file. */
export const CANARY = "CANARY-5f3a";

/** The content id of these pods. */
export const CONTENT = "0123456789abcdef";

/** As in the pod, the script does not run as root: a test run by root uses a user without rights. */
const NOBODY: User = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export interface User {
  uid?: number;
  gid?: number;
}

/** Seconds in a cluster are tens of milliseconds here. */
const FAST = {
  TIME_LIMIT_SECONDS: "10",
  IDLE_TIMEOUT_SECONDS: "1",
  FIRST_BACKOFF_MS: "20",
  MOST_BACKOFF_MS: "100",
  SECRET_POLL_MS: "30",
  REFUSED_RETRY_MS: "60000",
  REMINDER_MS: "600",
  MOST_RETRY_AFTER_MS: "1500",
};

let manifests: Promise<Manifest[]> | undefined;

/** A pod's folders and mounts, without the pod. */
export class PodFolders {
  readonly root = mkdtempSync(join(tmpdir(), "pod-"));
  readonly system: System;
  readonly #user: User;
  readonly site = join(this.root, "site");
  readonly #secret = join(this.root, "secret");
  readonly #replaced = join(this.root, "replaced");
  readonly #runs: FetchRun[] = [];
  #secretStates = 0;

  /** @param user the owner of the folders; with group 0, they belong to root and the group, as OpenShift has it */
  constructor(system: System, user = NOBODY) {
    this.system = system;
    this.#user = user;
    for (const folder of ["site", "secret"]) this.#makeFolder(join(this.root, folder));
    this.#giveAway(this.root);
  }

  /** Replaces the whole content at once, by a symbolic link, as the kubelet does. */
  writeSecret(link: string, contentId = CONTENT): void {
    const state = `..state-${++this.#secretStates}`;
    mkdirSync(join(this.#secret, state));
    writeFileSync(join(this.#secret, state, contentId), link);
    symlinkSync(state, join(this.#secret, "..new"));
    renameSync(join(this.#secret, "..new"), join(this.#secret, "..data"));
    if (!existsSync(join(this.#secret, contentId))) {
      symlinkSync(`..data/${contentId}`, join(this.#secret, contentId));
    }
  }

  /** Puts a program before those of the system. busybox's built-in programs cannot be replaced. */
  replaceProgram(name: string, script: string): void {
    mkdirSync(this.#replaced, { recursive: true });
    writeFileSync(join(this.#replaced, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }

  /** Starts the init container with the chart's own settings, faster. */
  async start(environment: Readonly<Record<string, string>> = {}): Promise<FetchRun> {
    manifests ??= render(serving());
    const rendered = await manifests;
    mountConfiguration(rendered, this.root);
    const [container] = only(rendered, "Deployment").spec.template.spec.initContainers;
    const programs = this.#programs();
    const shell = this.system === "busybox" ? join(programs, "sh") : "dash";
    const run = new FetchRun(this.root, shell, this.#user, {
      ...Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value])),
      ...FAST,
      PATH: `${this.#replaced}:${programs}`,
      CONTENT_ID: CONTENT,
      ALLOW_HTTP: "true",
      LINK_FOLDER: this.#secret,
      SITE_FOLDER: this.site,
      TERMINATION_LOG: join(this.root, "termination-log"),
      ...environment,
    });
    this.#runs.push(run);
    return run;
  }

  /** Starts it and waits for its end. */
  async fetch(environment: Readonly<Record<string, string>> = {}): Promise<FetchRun> {
    return (await this.start(environment)).ended;
  }

  /** The served files with their content, or undefined when none are served. */
  served(): Record<string, string> | undefined {
    const active = join(this.site, "active");
    if (!existsSync(active)) return undefined;
    return Object.fromEntries(
      filesBelow(active).map((path) => [relative(active, path), readFileSync(path, "utf8")]),
    );
  }

  /** The other files in the folders of the pod. */
  leftovers(): string[] {
    return readdirSync(this.site).filter((name) => name !== "active" && name !== "active.content");
  }

  /** Removes the site, as a new pod has none. */
  forget(): void {
    for (const name of readdirSync(this.site)) rmSync(join(this.site, name), { recursive: true });
  }

  remove(): void {
    for (const run of this.#runs) run.kill();
    rmSync(this.root, { recursive: true, force: true });
  }

  #makeFolder(path: string): void {
    mkdirSync(path);
    this.#giveAway(path);
  }

  #giveAway(path: string): void {
    const { uid, gid } = this.#user;
    if (gid === 0) chmodSync(path, 0o2770);
    else if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }

  #programs(): string {
    if (this.system !== "busybox") return "/usr/local/bin:/usr/bin:/bin";
    const programs = join(this.root, "bin");
    if (!existsSync(programs)) {
      mkdirSync(programs);
      execFileSync("busybox", ["--install", "-s", programs]);
      for (const name of ["curl", "getent"]) {
        symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(programs, name));
      }
    }
    return programs;
  }
}

export class FetchRun {
  log = "";
  code: number | null = null;
  seconds = 0;
  readonly ended: Promise<FetchRun>;
  readonly #child: ChildProcess;
  readonly #root: string;

  constructor(root: string, shell: string, user: User, environment: Record<string, string>) {
    const startMs = performance.now();
    this.#root = root;
    this.#child = spawn(shell, [join(root, "fetch-bundle.sh")], {
      ...user,
      cwd: root,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // its own process group, for `kill`
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (part: Buffer) => (this.log += part.toString()));
    }
    this.ended = new Promise((resolve, reject) => {
      this.#child.on("error", reject).on("close", (code) => {
        this.code = code;
        this.seconds = (performance.now() - startMs) / 1000;
        resolve(this);
      });
    });
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get terminationMessage(): string {
    const path = join(this.#root, "termination-log");
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** Ends the script and its children, as the end of a container's first process does. */
  kill(): void {
    try {
      process.kill(-Number(this.#child.pid), "SIGKILL");
    } catch {
      // none of it runs any more
    }
  }

  /** Ends only the script with SIGTERM, as the kubelet does when a pod is deleted. */
  terminate(): void {
    this.#child.kill("SIGTERM");
  }
}

/** Whether any process of this machine has the text in its arguments or its environment. */
export function isInSomeProcess(text: string): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .some((pid) =>
      ["cmdline", "environ"].some((file) => readOrNothing(`/proc/${pid}/${file}`).includes(text)),
    );
}

/** Files below a folder that contain the text. */
export function filesThatHold(text: string, folder: string): string[] {
  return filesBelow(folder).filter((path) => readOrNothing(path).includes(text));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // it ended meanwhile, or is another user's
  }
}
