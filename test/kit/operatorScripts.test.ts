// The scripts of a kit, with the shell of this machine: what they refuse before anything is sent, and what they say about the machine.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, type TestContext } from "vitest";
import { findCommand } from "../programs/commands.ts";
import { KINDS, newKey, writeKit } from "./kitFolder.ts";

/** The scripts need coreutils and openssl 3, which an operator of a cluster has. */
function onLinux(context: Pick<TestContext, "skip">): void {
  context.skip(
    process.platform !== "linux",
    "only on Linux: coreutils and openssl 3 are part of every installation",
  );
}

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "kit-scripts-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly lines: readonly string[];
}

function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Ended {
  const { status, stdout, stderr } = spawnSync("sh", [script, ...args], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: tmpdir(), ...env },
  });
  const output = stdout + stderr;
  return { code: status, output, lines: output.split("\n").filter(Boolean) };
}

/** A program in front of the others on PATH, under each of these names. */
function standIn(names: string | readonly string[], text: string): string {
  const folder = folderOfTest();
  for (const name of [names].flat()) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  }
  return `${folder}:${process.env["PATH"] ?? ""}`;
}

describe.each(["load.sh", "install.sh"])("%s", (script) => {
  /** Stand-ins for what sends and installs record their calls. */
  function called(context: TestContext, target: string): Ended & { readonly calls: string } {
    onLinux(context);
    const { folder } = writeKit(join(folderOfTest(), "kit"));
    const record = join(folderOfTest(), "calls");
    writeFileSync(record, "");
    const names = script === "load.sh" ? ["skopeo", "curl"] : ["helm"];
    const path = standIn(names, `echo "$*" >>'${record}'; exit 1`);
    const ended = run(join(folder, script), [target], { PATH: path });
    return { ...ended, calls: readFileSync(record, "utf8") };
  }

  test.for([
    ["registry.internal/Docs", "has upper case", "registry.internal/docs"],
    ["registry.internal/a/B_C", "has upper case", "registry.internal/a/b_c"],
    ["https://registry.internal/docs", "Write the registry without https://", ": registry.internal/docs"],
    ["http://127.0.0.1:5000/docs", "Write the registry without http://", ": 127.0.0.1:5000/docs"],
    ["OCI://registry.internal/docs", "Write the registry without OCI://", ": registry.internal/docs"],
    ["registry.internal/docs:v1", "has a colon", "Leave out the tag"],
    ["registry.internal//docs", "cannot be the name of an image", "between them"],
    ["registry.internal/-docs", "cannot be the name of an image", "letter or a digit"],
    ["registry.internal/a..b", "cannot be the name of an image", "letter or a digit"],
    ["registry.internal/docs_/x", "cannot be the name of an image", "letter or a digit"],
    ["registry.internal:/docs", "no usable port", "registry.internal:5000/docs"],
    ["registry.internal:5x/docs", "no usable port", "registry.internal:5000/docs"],
    ["fd00::1/docs", "needs brackets", "[fd00::1]:5000/docs"],
    ["[fd00::1", "needs brackets", "[fd00::1]:5000/docs"],
    ["[12]/docs", "no IPv6 address in brackets", "[fd00::1]:5000/docs"],
    ["[fd00::1]:/docs", "no usable port", "5000"],
    ["[fd00::1]x/docs", "no usable port", "5000"],
    ["registry/docs", "a name at Docker Hub", "registry:443"],
    ["registry.internal/$(id)", "usage: sh ", "REGISTRY/PATH"],
    ["/docs", "usage: sh ", "REGISTRY/PATH"],
  ] as const)("refuses %s with what to write, and calls nothing", ([target, problem, remedy], context) => {
    const { code, output, calls } = called(context, target);
    expect(code).toBe(1);
    expect(output).toContain(problem);
    expect(output).toContain(remedy);
    expect(calls).toBe("");
  });

  test.for([
    "registry.internal",
    "Registry.internal/docs",
    "localhost/docs",
    "127.0.0.1:5000/docs/site",
    "registry.internal/a__b/c-d.e/f--g/",
    "[::1]:5000/docs",
    "[fd00::1]/docs",
  ])("accepts %s", (target, context) => {
    const { calls } = called(context, target);
    if (script === "load.sh" && target.startsWith("[")) {
      expect(calls).toContain(`--url https://${target.replace("/docs", "/v2/docs/")}`);
    } else if (script === "load.sh") expect(calls).toContain(`docker://${target.replace(/\/$/, "")}/`);
    else expect(calls).toContain("upgrade --install docs");
  });
});

describe.each(["skopeo", "crane", "oras"])("load.sh with %s", (program) => {
  /** Loads with a program that fails like this. */
  function failing(context: TestContext, message: string): Ended & { readonly calls: string } {
    onLinux(context);
    const { folder } = writeKit(join(folderOfTest(), "kit"));
    const record = join(folderOfTest(), "calls");
    const path = standIn(program, `echo "$*" >>'${record}'; echo '${message}' >&2; exit 1`);
    const ended = run(join(folder, "load.sh"), ["registry.internal/docs", "--with", program], { PATH: path });
    return { ...ended, calls: readFileSync(record, "utf8") };
  }
  const PUSHES = /^(?:push|cp|.*\bcopy)\b/m;

  test.for([
    [
      'Get "https://registry.internal/v2/": http: server gave HTTP response to HTTPS client',
      "add --plain-http",
    ],
    [
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
      "export SSL_CERT_FILE=",
    ],
    ["tls: x509: “registry” certificate is not trusted", "/etc/docker/certs.d/registry.internal/ca.crt"],
    ["x509: certificate has expired or is not yet valid: current time …", "Check the clock"],
    [
      "x509: certificate is valid for a.internal, not registry.internal",
      "for the name or address registry.internal",
    ],
  ] as const)("«%s» ends with the remedy before a push", ([message, remedy], context) => {
    const { code, output, calls } = failing(context, message);
    expect(code).toBe(1);
    expect(output).toContain(`${program} cannot talk to registry.internal: `);
    expect(output).toContain(remedy);
    expect(output).toMatch(/Nothing of \S+ was sent\.\n$/);
    expect(calls).not.toMatch(PUSHES);
  });

  test("an image that is not there is pushed", (context) => {
    expect(failing(context, "MANIFEST_UNKNOWN: manifest unknown").calls).toMatch(PUSHES);
  });

  test("an authority in a folder of certificates is trusted beside the system's, and the environment's file is kept", (context) => {
    onLinux(context);
    const { folder } = writeKit(join(folderOfTest(), "kit"));
    const home = folderOfTest();
    const certificates = join(home, ".config/containers/certs.d/registry.internal:5000");
    mkdirSync(certificates, { recursive: true });
    writeFileSync(join(certificates, "ca.crt"), "our authority\n");
    writeFileSync(join(home, "others.pem"), "other authorities"); // without a line's end
    const record = join(home, "trusted");
    const path = standIn(program, `cat "\${SSL_CERT_FILE-}" >'${record}' 2>/dev/null; exit 1`);
    const env = { PATH: path, HOME: home, SSL_CERT_FILE: join(home, "others.pem") };
    run(join(folder, "load.sh"), ["registry.internal:5000/docs", "--with", program], env);
    const trusted = readFileSync(record, "utf8");
    // skopeo reads the folder itself
    expect(trusted).toBe(program === "skopeo" ? "other authorities" : "other authorities\nour authority\n");
  });
});

test("load.sh with curl trusts SSL_CERT_FILE also beside SSL_CERT_DIR, which older versions of curl do not, and CURL_CA_BUNDLE before both", (context) => {
  onLinux(context);
  const { folder } = writeKit(join(folderOfTest(), "kit"));
  const record = join(folderOfTest(), "calls");
  const path = standIn("curl", `cat >/dev/null; echo "$*" >>'${record}'; exit 1`);
  const called = (env: NodeJS.ProcessEnv): string => {
    writeFileSync(record, "");
    run(join(folder, "load.sh"), ["registry.internal/docs", "--with", "curl"], { PATH: path, ...env });
    return readFileSync(record, "utf8");
  };
  const both = { SSL_CERT_FILE: "/own/ca.pem", SSL_CERT_DIR: "/own/certs" };
  expect(called(both)).toContain("--cacert /own/ca.pem --capath /own/certs");
  expect(called({ SSL_CERT_FILE: "/own/ca.pem" })).toContain("--cacert /own/ca.pem");
  expect(called({ SSL_CERT_DIR: "/own/certs" })).not.toMatch(/--ca(?:cert|path)/); // curl reads it itself
  expect(called({ ...both, CURL_CA_BUNDLE: "/own/bundle.pem" })).not.toMatch(/--ca(?:cert|path)/);
});

test.for([
  ["shasum alone", "shasum"],
  ["openssl alone", "openssl"],
  ["no program for SHA-256", ""],
] as const)("load.sh on a machine with %s", ([, name], context) => {
  onLinux(context);
  const { folder } = writeKit(join(folderOfTest(), "kit"));
  const bin = folderOfTest();
  const needed = "awk base64 cat chmod cp cut dirname grep head id ln mkdir mktemp rm sed sh sort tee tr wc";
  for (const each of needed.split(" ")) symlinkSync(findCommand(each) ?? each, join(bin, each));
  const texts = {
    shasum: `exec '${findCommand("sha256sum") ?? "sha256sum"}'`,
    openssl: `exec '${findCommand("openssl") ?? "openssl"}' "$@"`,
    // a registry that has what it is asked for
    skopeo: `while [ $# -gt 1 ]; do shift; done
case $1 in *@sha256:*) cat '${folder}/images/blobs/sha256/'"\${1##*:}" ;; *) exit 1 ;; esac`,
  };
  for (const [each, text] of Object.entries(texts)) {
    if (each !== "skopeo" && each !== name) continue;
    writeFileSync(join(bin, each), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, each), 0o755);
  }
  const { code, output } = run(join(folder, "load.sh"), ["registry.internal/docs"], { PATH: bin });
  expect(code).toBe(1);
  if (name === "") expect(output).toContain("One of sha256sum, shasum and openssl is required");
  else expect(output).toContain("registry.internal/docs/nginx-unprivileged:1.30"); // the tag is not there
});

test("load.sh and install.sh name the platforms of the kit", (context) => {
  onLinux(context);
  const { folder } = writeKit(join(folderOfTest(), "kit"));
  const loading = run(join(folder, "load.sh"), ["registry.internal/docs"], {
    PATH: standIn("skopeo", "exit 1"),
  });
  expect(loading.lines[1]).toBe(
    "The images are for linux/amd64, linux/arm64: the nodes must be one of these.",
  );
  const failed = run(join(folder, "install.sh"), ["registry.internal/docs"], {
    PATH: standIn("helm", "exit 1"),
  });
  expect(failed.output).toContain("for linux/amd64, linux/arm64 only.");
  expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(
    "The images are for linux/amd64, linux/arm64, so",
  );
});

describe("verify.sh", () => {
  const signedKit = (kind: (typeof KINDS)[number] = "ed25519") => {
    const root = folderOfTest();
    const key = newKey(kind);
    const file = join(root, "key.pem");
    writeFileSync(file, key.publicKey);
    return { folder: writeKit(join(root, "kit"), { key }).folder, file, root };
  };

  test("names litter of other systems as such, once for each folder, and refuses the kit only for it", (context) => {
    onLinux(context);
    const { folder, file } = signedKit();
    const verify = (): Ended => run(join(folder, "verify.sh"), [file]);
    expect(verify()).toMatchObject({ code: 0 });
    const litter = {
      ".DS_Store": "macOS",
      "chart/._docs.tgz": "macOS",
      ".Spotlight-V100/a b/c": "macOS",
      "images/Thumbs.db": "Windows",
      "desktop.ini": "Windows",
      "System Volume Information/x {y}": "Windows",
      "$RECYCLE.BIN/S-1/desktop.ini": "Windows",
      "lost+found/#12": "Linux",
      ".Trash-1000/info/x": "Linux",
    };
    for (const path of Object.keys(litter)) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), "");
    }
    chmodSync(join(folder, "lost+found"), 0o000); // as root makes it
    const { code, lines } = verify();
    chmodSync(join(folder, "lost+found"), 0o700);
    expect(code).toBe(1);
    const named = Object.entries(litter).map(([path, by]) => {
      const [first = ""] = path.split("/");
      const shown = ["chart", "images"].includes(first) ? path : first;
      return `added: ${shown} (litter of ${by}: remove it)`;
    });
    expect(lines.slice(0, -1).sort()).toEqual(named.sort());
    expect(lines.at(-1)).toBe(`NOT OK (${named.length}): do not use this kit.`);
    for (const path of Object.keys(litter)) {
      const [first = ""] = path.split("/");
      const isShared = ["chart", "images"].includes(first);
      rmSync(join(folder, isShared ? path : first), { recursive: true });
    }
    expect(verify()).toMatchObject({ code: 0 });
  });

  test("names litter beside what is really wrong", (context) => {
    onLinux(context);
    const { folder, file } = signedKit();
    writeFileSync(join(folder, ".DS_Store"), "");
    symlinkSync("values.yaml", join(folder, "Thumbs.db"));
    writeFileSync(join(folder, "values.yaml"), "changed");
    const { code, lines } = run(join(folder, "verify.sh"), [file]);
    expect([code, [...lines].sort()]).toEqual([
      1,
      [
        "NOT OK (3): do not use this kit.",
        "added: .DS_Store (litter of macOS: remove it)",
        "added: Thumbs.db (litter of Windows: remove it)",
        "changed: values.yaml",
      ],
    ]);
    writeFileSync(join(folder, "a b"), "");
    const refused = run(join(folder, "verify.sh"), [file]);
    expect(refused.output).toContain("refused: ./a?b ");
    expect(refused.output).toContain("added: .DS_Store (litter of macOS: remove it)");
  });

  /** The programs that the script needs, without one for SHA-256, and others by their text. */
  function programs(root: string, others: Readonly<Record<string, string>>, without = ""): string {
    const folder = join(root, "programs");
    mkdirSync(folder);
    for (const name of "cat cut dirname find grep head sed sh sort tr uniq wc".split(" ")) {
      if (name !== without) symlinkSync(findCommand(name) ?? name, join(folder, name));
    }
    for (const [name, text] of Object.entries(others)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    return folder;
  }
  const OPENSSL = `exec '${findCommand("openssl") ?? "openssl"}' "$@"`;
  const SHA256SUM = `exec '${findCommand("sha256sum") ?? "sha256sum"}'`;
  const SHASUM = `[ "$*" = "-a 256" ] && ${SHA256SUM}`;

  test.for<[string, Record<string, string>]>([
    ["has shasum", { shasum: SHASUM, openssl: OPENSSL }],
    ["has openssl alone", { openssl: OPENSSL }],
    ["has a sha256sum that does not run", { sha256sum: "exit 126", openssl: OPENSSL }],
  ])("a machine without sha256sum that %s verifies the kit, and sees a change", ([, others], context) => {
    onLinux(context);
    const { folder, file, root } = signedKit("ecdsa-p256");
    const env = { PATH: programs(root, others) };
    expect(run(join(folder, "verify.sh"), [file], env)).toMatchObject({ code: 0 });
    writeFileSync(join(folder, "values.yaml"), "changed");
    expect(run(join(folder, "verify.sh"), [file], env).lines).toEqual([
      "changed: values.yaml",
      "NOT OK (1): do not use this kit.",
    ]);
  });

  test.for([
    ["a program for SHA-256", {}, "", "sha256sum, shasum or openssl"],
    ["find", { openssl: OPENSSL }, "find", "find"],
    ["sort", { openssl: OPENSSL }, "sort", "sort"],
  ] as const)(
    "a machine without %s checked nothing: that says nothing about the kit",
    ([, others, without, named], context) => {
      onLinux(context);
      const { folder, file, root } = signedKit();
      const { code, lines } = run(join(folder, "verify.sh"), [file], {
        PATH: programs(root, others, without),
      });
      expect(code).toBe(1);
      expect(lines[0]).toBe(
        `not checked: this machine has no ${named}. This says nothing about the kit. Install it, or verify the kit on another machine`,
      );
      expect(lines).toHaveLength(2);
    },
  );

  describe.each(KINDS)("for a key of %s", (kind) => {
    /** An openssl that knows no algorithm, as one in FIPS mode knows no Ed25519. */
    function withoutAlgorithms(root: string): NodeJS.ProcessEnv {
      const file = join(root, "openssl.cnf");
      const text =
        "openssl_conf = all\n[all]\nalg_section = algorithms\n[algorithms]\ndefault_properties = fips=yes\n";
      writeFileSync(file, text);
      return { OPENSSL_CONF: file };
    }
    /** Programs of this machine, without openssl. */
    function withoutOpenssl(root: string): NodeJS.ProcessEnv {
      const folder = join(root, "bin");
      mkdirSync(folder);
      const names = "cat cut dirname find grep head sed sh sha256sum sort tr uniq wc".split(" ");
      for (const name of names) symlinkSync(findCommand(name) ?? name, join(folder, name));
      return { PATH: folder };
    }

    test.for([
      ["in FIPS mode", withoutAlgorithms, /\(Library|OpenSSL/],
      ["that is missing", withoutOpenssl, /openssl is not on PATH/],
    ] as const)(
      "an openssl %s cannot check it: that is no changed kit, and no accepted one",
      ([, limit, why], context) => {
        onLinux(context);
        const { folder, file, root } = signedKit(kind);
        const { code, lines } = run(join(folder, "verify.sh"), [file], limit(root));
        expect(code).toBe(1);
        expect(lines).toHaveLength(2);
        expect(lines[0]).toMatch(
          /^not checked: this openssl cannot check it: .*Verify it on another machine/,
        );
        expect(lines[0]).toMatch(why);
        expect(lines[1]).toBe("NOT OK (1): do not use this kit.");
      },
    );
  });
});
