import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { findCommand } from "../programs/commands.ts";
import { freePort } from "../programs/freePort.ts";
import type { User } from "./fetchRun.ts";
import { type Manifest, mountConfiguration, only } from "./renderedChart.ts";

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The rendered configuration and start script, run by the nginx of this machine over a folder of files. */
export class WebServer {
  readonly root = mkdtempSync(join(tmpdir(), "nginx-"));
  readonly site = join(this.root, "site");
  /** Another address of the loopback, for several servers with the same port. */
  host = "127.0.0.1";
  port = 0;
  readonly #outputFile = join(this.root, "output");
  #child: ChildProcess | undefined;

  write(files: Readonly<Record<string, string | Buffer>>): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.site, "active", name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }

  async start(
    manifests: readonly Manifest[],
    environment: Readonly<Record<string, string>> = {},
    user: User = {},
  ): Promise<void> {
    this.port ||= await freePort();
    for (const folder of ["tmp", "site/active"]) mkdirSync(join(this.root, folder), { recursive: true });
    const configuration = join(this.root, "etc/docs-server");
    mountConfiguration(manifests, configuration);
    const conf = join(configuration, "nginx.conf");
    // only the folders differ from the pod's
    const relocated = readFileSync(conf, "utf8").replaceAll(
      /(?<=\s)\/(tmp|site|etc\/docs-server)\//g,
      `${this.root}/$1/`,
    );
    // a run by root needs no change of user for the workers either
    writeFileSync(
      conf,
      (process.getuid?.() === 0 && user.uid === undefined ? "user root;\n" : "") + relocated,
    );
    // nginx opens /dev/stdout, which is no file that can be opened when Node.js makes a pipe of it
    const output = openSync(this.#outputFile, "a");
    // another user may lack access to this machine's nginx
    const programs = join(this.root, "bin");
    if (user.gid === 0) {
      mkdirSync(programs);
      copyFileSync(findCommand("nginx") ?? "", join(programs, "nginx"));
      for (const path of ["", "bin", "tmp", "output"]) chmodSync(join(this.root, path), 0o770);
    }
    this.#child = spawn("sh", [join(configuration, "serve.sh")], {
      ...user,
      env: {
        PATH: `${programs}:${process.env["PATH"] ?? ""}`,
        SITE_FOLDER: this.site,
        SCRATCH_FOLDER: join(this.root, "tmp"),
        BASE_PATH: environmentOf(manifests)["BASE_PATH"],
        CONTENT_ID: environmentOf(manifests)["CONTENT_ID"],
        PORT: this.host === "127.0.0.1" ? String(this.port) : `${this.host}:${this.port}`,
        ...(this.host !== "127.0.0.1" && { IPV6_TABLE: "/nonexistent" }),
        ...environment,
      },
      stdio: ["ignore", output, output],
    });
    closeSync(output);
    for (let tries = 0; tries < 200; tries++) {
      if (await this.get("/-/healthz").catch(() => undefined)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`nginx does not answer: ${this.output}`);
  }

  get output(): string {
    return readFileSync(this.#outputFile, "utf8");
  }

  get listenConf(): string {
    return readFileSync(join(this.root, "tmp/listen.conf"), "utf8");
  }

  /** One request, byte for byte: it normalizes no path, decompresses nothing and follows no redirect. */
  get(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Reply> {
    return new Promise((resolve, reject) => {
      request({ host: this.host, port: this.port, path, headers, method, agent: false }, (response) => {
        buffer(response).then((body) => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        }, reject);
      })
        .on("error", reject)
        .end();
    });
  }

  /** Waits until the site's texts are compressed. */
  async hasCompressed(path = "/"): Promise<boolean> {
    return wasCompressedBefore(await this.get(path, { "accept-encoding": "gzip" }));
  }

  /** The exit code, after it has ended. */
  get exited(): Promise<number | null> {
    return new Promise((resolve) => this.#child?.on("close", resolve));
  }

  signal(signal: NodeJS.Signals): Promise<number | null> {
    const exited = this.exited;
    this.#child?.kill(signal);
    return exited;
  }

  async remove(): Promise<void> {
    if (this.#child?.exitCode === null) await this.signal("SIGTERM");
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** nginx does not know the length of a compressed reply while it sends it. */
export function wasCompressedBefore({ headers }: Reply): boolean {
  return headers["content-encoding"] === "gzip" && headers["content-length"] !== undefined;
}

function environmentOf(manifests: readonly Manifest[]): Record<string, string> {
  const [nginx] = only(manifests, "Deployment").spec.template.spec.containers;
  return Object.fromEntries((nginx?.env ?? []).map(({ name, value }) => [name, value]));
}
