import { MEDIA_TYPES } from "../../site/inspection/mediaTypes";
import { IMMUTABLE } from "../../site/inspection/immutableFiles";
import type { PlatformImage } from "../registry/image";
import { PREVIOUS_ROOT } from "./previousFiles";

/** A file that an image gets beside its site, by its path without the leading slash. */
export interface ImageFile {
  readonly path: string;
  readonly content: string;
  readonly isExecutable?: true;
}

/** The file that nginx images include for their only server. */
const SERVER_FILE = "etc/nginx/conf.d/default.conf";
/** Before the scripts of the image with a number of two digits that is larger; only executable ones are run. */
const START_FILE = "docker-entrypoint.d/09-docs-hosting-ipv6.sh";
/** What the start script writes; nginx includes it if it exists. */
const IPV6_FILE = "/tmp/docs-hosting-ipv6";

/**
 * The configuration with which an nginx image serves the site by itself, by the rules of the example's chart: clean addresses, the
 * site's own page 404, media types, texts that are compressed once, cache headers. It replaces the image's own server. The chart does
 * not use it. A test compares both.
 *
 * @param root the folder of the site in the image
 * @param base the image for one of its platforms
 */
export function webServerFiles(root: string, base: PlatformImage): ImageFile[] {
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
  return `# Written by pulumi-docs-hosting: serves the site by the same rules as the chart of its example.
map $uri $docs_hosting_named_after_content {
  default no;
  "~${IMMUTABLE.source.replaceAll("\\/", "/")}" yes;
}
map "$status $docs_hosting_named_after_content" $docs_hosting_cache_control {
  default "no-cache";
  "~^(?:200|206|304) yes$" "public, max-age=31536000, immutable";
}
map "$status $uri" $docs_hosting_content_encoding {
  default "";
  "~*^(?:200|206|304) .*\\.svgz$" gzip;
}

server {
${ports.map((port) => `  listen ${port};`).join("\n")}
  include ${IPV6_FILE}*.conf;
  server_name _;
  root ${root};
  index index.html;

  default_type application/octet-stream;
  types {
${MEDIA_TYPES.map(({ type, endings }) => `${indent}${type} ${endings};`).join("\n")}
  }
  charset utf-8;
  charset_types ${typesWith("hasCharset")};

  gzip on;
  gzip_vary on;
  gzip_proxied any;
  gzip_min_length 512;
  gzip_comp_level 5;
  gzip_types ${typesWith("isCompressed")};
  gzip_static on;

  server_tokens off;
  absolute_redirect off;
  client_max_body_size 16k;

  add_header Cache-Control $docs_hosting_cache_control always;
  add_header Content-Encoding $docs_hosting_content_encoding always;

  # a folder without a start page is not found
  error_page 403 404 =404 @not_found;

  location = /-/healthz {
    access_log off;
    default_type text/plain;
    return 200 "ok\\n";
  }

  # hidden files are not served, except those in /.well-known/
  location ~ ^/(?!\\.well-known(?:/|$))\\. {
    return 404;
  }
  location ~ ^/.+/\\. {
    return 404;
  }

  # compressed already
  location ~* \\.svgz$ {
    gzip off;
    try_files $uri $uri.html $uri/ =404;
  }

  # /folder/ is folder/index.html; /page/ may be meant as /page
  location ~ ^(?<without_slash>.+)/$ {
    try_files \${uri}index.html @without_slash;
  }
  location @without_slash {
    if (-f $document_root$without_slash.html) {
      rewrite ^(.+)/$ $1 redirect;
    }
    return 404;
  }

  # /guide is guide.html; /folder redirects to /folder/, where the relative addresses of its page are correct
  location / {
    try_files $uri $uri.html $uri/ @version_before;
  }

  # Pages that readers have open name files of the version before, after their content.
  location @version_before {
    root /${PREVIOUS_ROOT};
    if ($docs_hosting_named_after_content = no) {
      return 404;
    }
    try_files $uri =404;
  }

  location @not_found {
    try_files /404.html @plain_not_found;
  }
  location @plain_not_found {
    types {} # the media type does not depend on the unknown address
    default_type text/html;
    return 404 "<!doctype html>\\n<html lang=\\"en\\">\\n<meta charset=\\"utf-8\\">\\n<title>Page not found</title>\\n<h1>Page not found</h1>\\n<p>There is no page at this address. <a href=\\"/\\">Start page</a></p>\\n</html>\\n";
  }
}
`;
}
