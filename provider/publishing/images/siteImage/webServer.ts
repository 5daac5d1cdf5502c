import { packageText } from "../../../base/runtime/files/packageText";
import { IMMUTABLE_PATH } from "../../inspection/immutableFiles";
import { MEDIA_TYPES } from "../../inspection/mediaTypes";
import type { PlatformImage } from "../registry/image";
import { PREVIOUS_ROOT } from "./previousFiles";

/** The file that nginx images include for their only server. */
const SERVER_FILE = "etc/nginx/conf.d/default.conf";
/** Before the scripts of the image with a number of two digits that is larger; only executable ones are run. */
const START_FILE = "docker-entrypoint.d/09-docs-hosting-ipv6.sh";
/** What the start script writes; nginx includes it if it exists. */
const IPV6_FILE = "/tmp/docs-hosting-ipv6";

/** A file that an image gets beside its site. */
interface ServerFile {
  /** Without the leading slash. */
  readonly path: string;
  readonly content: string;
  /** @default false */
  readonly isExecutable?: boolean;
}

/**
 * The configuration with which an nginx image serves the site by itself, by the rules of the example's chart: clean addresses, the
 * site's own page 404, media types, texts that are compressed once, cache headers. It replaces the image's own server. The chart does
 * not use it. A test compares both.
 *
 * @param root the folder of the site in the image
 * @param base the image for one of its platforms
 */
export function webServerFiles(root: string, base: PlatformImage): ServerFile[] {
  const ports = portsOf(base);
  return [
    { path: SERVER_FILE, content: serverFile(`/${root}`, ports) },
    { path: START_FILE, content: startFile(ports), isExecutable: true },
  ];
}

/** The ports of the base: those that it exposes without TLS; without any, that of its user's rights. */
function portsOf({ config }: PlatformImage): number[] {
  const { ExposedPorts: exposed, User: user } = (config["config"] ?? {}) as Record<string, unknown>;
  const names = typeof exposed === "object" && exposed !== null ? Object.keys(exposed) : [];
  const ports = names
    .map((name) => Number(/^(\d{1,5})(?:\/tcp)?$/.exec(name)?.[1]))
    .filter((port) => port > 0 && port < 65_536 && port !== 443 && port !== 8443);
  if (ports.length > 0) return [...new Set(ports)].sort((one, other) => one - other);
  const isRoot = typeof user !== "string" || user === "" || /^(?:0|root)(?::|$)/.test(user);
  return [isRoot ? 80 : 8080];
}

/** Makes nginx listen on IPv6, too: without IPv6 in the kernel, it would not start with such an address. */
function startFile(ports: readonly number[]): string {
  const lines = ports.map((port) => `listen [::]:${port};`).join(" ");
  return `#!/bin/sh
# written by pulumi-docs-hosting: nginx also listens on IPv6 if there is any
[ ! -e /proc/net/if_inet6 ] || echo "${lines}" 2>/dev/null >${IPV6_FILE}.conf || true
`;
}

const indent = "    ";
const typesWith = (name: "hasCharset" | "isCompressed"): string =>
  // nginx includes text/html always, and reports it twice
  [...new Set(MEDIA_TYPES.filter((row) => row[name]).map(({ type }) => type))]
    .filter((type) => type !== "text/html")
    .join(`\n${indent}`);

function serverFile(root: string, ports: readonly number[]): string {
  const values: Readonly<Record<string, string>> = {
    root,
    listen: ports.map((port) => `  listen ${port};`).join("\n"),
    ipv6: IPV6_FILE,
    previousRoot: PREVIOUS_ROOT,
    immutable: IMMUTABLE_PATH.source.replaceAll("\\/", "/"),
    types: MEDIA_TYPES.map(({ type, endings }) => `${indent}${type} ${endings};`).join("\n"),
    charsetTypes: typesWith("hasCharset"),
    gzipTypes: typesWith("isCompressed"),
  };
  const template = packageText("provider/publishing/images/siteImage/server.conf");
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
}
