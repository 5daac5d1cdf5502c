import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { newKit } from "./loading.ts";
import { Operator, scratchFolder, SYSTEMS } from "./systems.ts";

/**
 * Replaces programs that are not installed: records its arguments and input, and returns the kit's manifests after it has
 * received any, and its blobs.
 */
const STAND_IN = `#!/bin/sh
echo "\${0##*/} $*" >>"$RECORD/calls"
took() { sed -n 's/.*"digest":"\\([^"]*\\)".*/\\1/p' "$1/index.json" | sed "s|^|$2 |" >>"$RECORD/taken"; }
last() { while [ $# -gt 1 ]; do shift; done; echo "$1"; }
case "$1 \${2-}" in
  "cp "*) to=$(last "$@"); from=\${*%" $to"}; from=\${from##* }; took "\${from%@*}" "$to" ;;
  "load "*) mkdir -p "$RECORD/in" && tar -xf - -C "$RECORD/in" ;;
  "push "*) took "$RECORD/in" "$(last "$@")" ;;
  "blob fetch") asked=$(last "$@") && cat "$KIT/images/blobs/sha256/\${asked##*:}" ;;
  "manifest fetch" | "buildx imagetools")
    asked=$(last "$@")
    [ -f "$RECORD/taken" ] || exit 1
    case $asked in
      *@*) digest=\${asked#*@} ;;
      *) digest=$(sed -n "s|^$asked ||p" "$RECORD/taken") ;;
    esac
    [ -n "$digest" ] && cat "$KIT/images/blobs/sha256/\${digest#sha256:}"
    ;;
esac
`;

describe.each([
  ["oras", "busybox"],
  ["oras", "dash and GNU"],
  ["docker", "busybox"],
  ["docker", "dash and GNU"],
] as const)("load.sh with a stand-in for %s, %s", (program, system) => {
  test("each image is passed on alone, whole, and under its name", async (context) => {
    const kit = newKit(context);
    const script = join(scratchFolder(context), program);
    writeFileSync(script, STAND_IN);
    chmodSync(script, 0o755);
    const record = scratchFolder(context);
    const operator = new Operator(context, system, { [program]: script });
    const args = ["registry.internal/docs", "--with", program, "--plain-http"];
    const env = { RECORD: record, KIT: kit.folder };
    const ended = await operator.run(join(kit.folder, "load.sh"), args, { env });
    expect(ended).toMatchObject({ code: 0 });
    const { lines } = await operator.type(`cat '${record}/calls'`);
    const called = lines.map((line) => line.replace(/ \/\S+\/layout@/, " LAYOUT@"));
    for (const [name, digest] of Object.entries(kit.layout.digests)) {
      const to = `registry.internal/docs/${name}`;
      const repository = to.slice(0, to.lastIndexOf(":"));
      const expected = {
        oras: [
          `oras cp --from-oci-layout --to-plain-http LAYOUT@${digest} ${to}`,
          `oras manifest fetch --plain-http ${repository}@${digest}`,
          `oras manifest fetch --plain-http ${to}`,
        ],
        docker: [
          "docker load",
          `docker push ${to}`,
          `docker buildx imagetools inspect --raw ${repository}@${digest}`,
          `docker buildx imagetools inspect --raw ${to}`,
        ],
      }[program];
      expect(called).toEqual(expect.arrayContaining(expected));
    }
    if (program === "docker") {
      const { lines: blobs } = await operator.type(`cd '${record}/in/blobs/sha256' && sha256sum *`);
      expect(blobs).toHaveLength(kit.layout.blobs.length);
      for (const line of blobs) expect(line).toMatch(/^([0-9a-f]{64})  \1$/);
    }
  });
});

describe.each(shortened(SYSTEMS))("load.sh itself, with %s", (system) => {
  test.for([
    [[]],
    [["registry.internal/docs", "more"]],
    [["registry.internal/docs", "--with"]],
    [["registry.internal/docs", "--with", "wget"]],
    [["registry.internal/$(id)"]],
    [["-x", "registry.internal/docs"]],
  ])("called with %j it prints its usage", async ([args = []], context) => {
    const kit = newKit(context);
    expect(await new Operator(context, system).run(join(kit.folder, "load.sh"), args)).toMatchObject({
      code: 1,
      lines: [expect.stringMatching(/^usage: sh load\.sh REGISTRY\/PATH/)],
    });
  });

  test("without any of the programs it names the supported ones", async (context) => {
    const kit = newKit(context);
    const operator = new Operator(context, system);
    const none = await operator.run(join(kit.folder, "load.sh"), ["127.0.0.1:1/docs"]);
    expect(none).toMatchObject({
      code: 1,
      lines: ["One of skopeo, crane, oras, curl and docker is required, but none is on PATH."],
    });
    const forced = await operator.run(join(kit.folder, "load.sh"), ["127.0.0.1:1/docs", "--with", "oras"]);
    expect(forced).toMatchObject({ code: 1, lines: ["oras is not on PATH."] });
  });

  test.for([
    ["crane", ["docker", "curl", "oras", "crane"]],
    ["oras", ["docker", "curl", "oras"]],
    ["curl", ["docker", "curl"]],
    ["docker", ["docker"]],
  ] as const)("it uses %s where %j are installed", async ([taken, there], context) => {
    const kit = newKit(context);
    const script = join(scratchFolder(context), "program");
    writeFileSync(script, "#!/bin/sh\nexit 1\n");
    chmodSync(script, 0o755);
    const operator = new Operator(context, system, Object.fromEntries(there.map((name) => [name, script])));
    const { lines } = await operator.run(join(kit.folder, "load.sh"), ["127.0.0.1:1/docs"]);
    expect(lines[0]).toBe(`Loading with ${taken} into 127.0.0.1:1/docs`);
  });
});
