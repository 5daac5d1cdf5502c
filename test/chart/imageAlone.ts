import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import { findCommand } from "../programs/commands.ts";
import { freePort } from "../programs/freePort.ts";
import { WebServer } from "./webServer.ts";

/** An image of a site that this machine's nginx runs by the image's own configuration. */
export interface ImageAlone {
  /** To send requests to it. */
  readonly server: WebServer;
  stop(): Promise<void>;
}

/**
 * Runs the files of an image with an nginx base as its official images do it: their `nginx.conf` includes the folder `conf.d`.
 *
 * @param root folder with the unpacked image. Its configuration is changed: only in folders and port
 */
export async function runImageAlone(root: string): Promise<ImageAlone> {
  const server = new WebServer();
  server.port = await freePort();
  const site = join(root, "usr/share/nginx/html");
  const own = join(root, "etc/nginx/conf.d/default.conf");
  writeFileSync(
    own,
    readFileSync(own, "utf8")
      .replaceAll("/usr/share/nginx", dirname(site))
      .replace(/listen \d+;/, `listen 127.0.0.1:${server.port};`),
  );
  const conf = join(root, "etc/nginx/nginx.conf");
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${root}/${name};`)
    .join("\n");
  writeFileSync(
    conf,
    `${user}pid ${root}/pid;\nerror_log stderr warn;\nevents {}\nhttp {\n${temporary}\naccess_log off;\n` +
      `types { text/html html; }\ninclude ${dirname(own)}/*.conf;\n}\n`,
  );
  const nginx = spawn(findCommand("nginx") ?? "", ["-e", "stderr", "-c", conf, "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  await vi.waitFor(() => server.get("/-/healthz"), { timeout: 20_000 });
  return {
    server,
    async stop() {
      const exited = new Promise((resolve) => nginx.once("close", resolve));
      nginx.kill("SIGQUIT");
      await exited;
      await server.remove();
    },
  };
}
