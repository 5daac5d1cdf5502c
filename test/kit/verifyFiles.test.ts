import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shortened } from "../suites.ts";
import { filesBelow, KINDS, readmeOf, SCRIPTS, signSums, sumUp, writeKit } from "./kitFolder.ts";
import { carry, NOT_OK } from "./signedKit.ts";
import { type Ended, scratchFolder, SYSTEMS } from "./systems.ts";

describe.each(shortened(SYSTEMS))("verify.sh with %s", (system) => {
  test.for(KINDS)(
    "a whole kit signed with %s is accepted, from any working directory",
    async (kind, context) => {
      const { kit, key, operator, verify } = carry(context, system, kind);
      const count = filesBelow(kit.folder).length;
      expect(await verify()).toMatchObject({
        code: 0,
        lines: [
          "Kit of version «1», made at 2026-11-22T12:00:00.000Z",
          `${count} files: complete, unchanged, nothing added.`,
          expect.stringMatching(/^OK: signed by the key of .*key\.pem\.$/),
        ],
      });
      const beside = scratchFolder(context);
      writeFileSync(join(beside, "-my key.pem"), key.publicKey);
      const relative = await operator.run("./verify.sh", ["./-my key.pem"], { cwd: kit.folder });
      expect(relative).toMatchObject({ code: 1, lines: [expect.stringContaining("no key"), NOT_OK(1)] });
      expect(
        await operator.run(join(kit.folder, "verify.sh"), ["./-my key.pem"], { cwd: beside }),
      ).toMatchObject({ code: 0 });
    },
  );

  test("a differential kit is accepted", async (context) => {
    const { kit, key, operator } = carry(context, system);
    const folder = scratchFolder(context);
    const next = writeKit(join(folder, "next"), { key, version: "2", since: kit });
    writeFileSync(join(folder, "key.pem"), key.publicKey);
    expect(await operator.run(join(next.folder, "verify.sh"), [join(folder, "key.pem")])).toMatchObject({
      code: 0,
    });
  });

  test("a changed byte is found in each of the files", async (context) => {
    const { kit, verify } = carry(context, system);
    for (const path of filesBelow(kit.folder).filter((path) => path !== "verify.sh")) {
      const file = join(kit.folder, path);
      const before = readFileSync(file);
      const middle = before.length >> 1;
      for (const at of path.startsWith("SHA256SUMS") ? [0, middle, before.length - 1] : [middle]) {
        const changed = Buffer.from(before);
        changed[at] = (changed[at] ?? 0) ^ 1;
        writeFileSync(file, changed);
        const { code, lines } = await verify();
        expect(code, `${path} at ${at}`).toBe(1);
        const named =
          path === "SHA256SUMS" || path === "SHA256SUMS.sig"
            ? (expect.stringMatching(/^other key or changed SHA256SUMS: /) as string)
            : `changed: ${path}`;
        expect(lines, `${path} at ${at}`).toContainEqual(named);
        // nothing else is, except by a changed list
        if (path !== "SHA256SUMS") {
          const others = path === "SHA256SUMS.sig" ? ["changed: SHA256SUMS.sigstore.json"] : [];
          expect(lines, `${path} at ${at}`).toEqual([named, ...others, NOT_OK(1 + others.length)]);
        } else if (!lines.includes("changed: manifest.json")) {
          expect(lines.join()).not.toContain("manifest.json");
        }
      }
      writeFileSync(file, before);
    }
    expect(await verify()).toMatchObject({ code: 0 });
  });

  test("each of the files is missed when it is removed", async (context) => {
    const { kit, verify } = carry(context, system);
    for (const path of filesBelow(kit.folder).filter((path) => path !== "verify.sh")) {
      const file = join(kit.folder, path);
      const before = readFileSync(file);
      rmSync(file);
      const { code, lines } = await verify();
      expect(code, path).toBe(1);
      const named = path === "SHA256SUMS.sig" ? "unsigned: SHA256SUMS.sig is missing" : `missing: ${path}`;
      expect(lines, path).toEqual([named, NOT_OK(1)]);
      writeFileSync(file, before);
    }
  });

  test("a whole kit under the names of parts is refused: version and date would be hidden", async (context) => {
    const { kit, verify } = carry(context, system);
    for (const ending of ["", ".sig", ".sigstore.json"]) {
      renameSync(join(kit.folder, `SHA256SUMS${ending}`), join(kit.folder, `PARTS.SHA256SUMS${ending}`));
    }
    expect(await verify()).toMatchObject({
      code: 1,
      lines: ["changed: PARTS.SHA256SUMS (it lists a file that is no part of a kit)", NOT_OK(1)],
    });
  });

  test.for([
    ["a file beside the others", "more.txt", "added: more.txt"],
    ["a hidden file deep inside", "images/blobs/sha256/.hidden", "added: images/blobs/sha256/.hidden"],
    ["a folder with a file", "more/x", "added: more/x"],
    ["an empty folder", "images/none/", "added: images/none/"],
    ["a list of parts", "PARTS.SHA256SUMS", "added: values.yaml"],
    ["a name with a line end", "a\nb", "refused: ./a?b "],
    ["a name that is a line of the list", "x\nREADME.md", "refused: ./x?README.md "],
    ["a name with a space", "a b", "refused: ./a?b "],
    ["a name that is an option", "-c", "refused: ./-c "],
    ["a name that a terminal obeys", "a\u001b[2Jb", "refused: ./a??2Jb "],
    ["a name of other letters", "ä", "refused: ./?? "],
  ] as const)("%s was added: it is named", async ([, name, named], context) => {
    const { kit, verify } = carry(context, system);
    const path = join(kit.folder, name);
    mkdirSync(name.endsWith("/") ? path : join(path, ".."), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(path, "");
    const { code, lines } = await verify();
    expect(code).toBe(1);
    expect(lines).toContainEqual(expect.stringContaining(named));
  });

  test.for([
    ["to a file of the kit", "README.md", "values.yaml"],
    ["to the same bytes outside", "values.yaml", "../values.yaml"],
    ["in the place of the list", "SHA256SUMS", "../values.yaml"],
    ["in the place of a folder", "chart", "../values.yaml"],
    ["to nothing", "more", "nowhere"],
  ] as const)("a symbolic link %s is refused", async ([, name, to], context) => {
    const { kit, verify } = carry(context, system);
    cpSync(join(kit.folder, "values.yaml"), join(kit.folder, "../values.yaml"));
    rmSync(join(kit.folder, name), { recursive: true, force: true });
    symlinkSync(to, join(kit.folder, name));
    expect(await verify()).toMatchObject({
      code: 1,
      lines: [
        `refused: ./${name} (a link, or something else that is neither a file nor a folder)`,
        NOT_OK(1),
      ],
    });
  });

  test("a pipe in place of a file is refused without waiting for it", async (context) => {
    const { kit, verify } = carry(context, system);
    rmSync(join(kit.folder, "SHA256SUMS"));
    execFileSync("mkfifo", [join(kit.folder, "SHA256SUMS")]);
    expect((await verify()).lines[0]).toMatch(/^refused: \.\/SHA256SUMS /);
  });

  test("an unreadable file does not count as unchanged", async (context) => {
    const { kit, verify } = carry(context, system);
    chmodSync(join(kit.folder, "values.yaml"), 0);
    const file = await verify();
    expect(file.code).toBe(1);
    expect(file.lines).toContain("changed: values.yaml");
    chmodSync(join(kit.folder, "chart"), 0);
    const folder = await verify();
    expect(folder.code).toBe(1);
    expect(folder.lines).toContain("unreadable: a folder of the kit");
    chmodSync(join(kit.folder, "chart"), 0o700); // so that it can be removed
  });

  test.for([
    ["a path that leads out", `${"0".repeat(64)}  ../key.pem`, "missing: ../key.pem"],
    ["a path from the root", `${"0".repeat(64)}  /etc/passwd`, "missing: /etc/passwd"],
    ["standard input", `${"0".repeat(64)}  -`, "missing: -"],
    ["a line of another kind", "# all is well", "changed: SHA256SUMS (not in the format of sha256sum)"],
    ["what a terminal obeys", `${"0".repeat(64)}  a\u001b[2Jb`, "missing: a?[2Jb"],
    [
      "a name with an escape",
      `\\${"0".repeat(64)}  a\\nb`,
      "changed: SHA256SUMS (not in the format of sha256sum)",
    ],
  ] as const)(
    "a list that names %s is refused, also without a signature",
    async ([, line, named], context) => {
      const { kit, operator } = carry(context, system);
      appendFileSync(join(kit.folder, "SHA256SUMS"), `${line}\n`);
      const { code, lines, output } = await operator.run(join(kit.folder, "verify.sh"), ["--unsigned"]);
      expect(code).toBe(1);
      expect(lines).toContain(named);
      expect(output).not.toContain("\u001b");
    },
  );

  test.for(KINDS)(
    "parts signed with %s are checked unjoined; one that is cut off, or missing, is named",
    async (kind, context) => {
      const { kit, key, operator } = carry(context, system, kind);
      const folder = join(scratchFolder(context), "parts");
      const keyFile = join(folder, "../key.pem");
      mkdirSync(folder);
      writeFileSync(keyFile, key.publicKey);
      const tar = execFileSync("tar", ["-C", join(kit.folder, ".."), "-cf", "-", "kit"]);
      const parts = [0, 1, 2].map((n) => tar.subarray((n * tar.length) / 3, ((n + 1) * tar.length) / 3));
      parts.forEach((part, n) => writeFileSync(join(folder, `kit.tar.00${n + 1}`), part));
      cpSync(join(SCRIPTS, "verify.sh"), join(folder, "verify.sh"));
      writeFileSync(join(folder, "README.md"), readmeOf("1", { key }, 3));
      sumUp(folder, "PARTS.SHA256SUMS");
      signSums(folder, "PARTS.SHA256SUMS", key);
      const verify = (): Promise<Ended> => operator.run(join(folder, "verify.sh"), [keyFile]);
      expect(await verify()).toMatchObject({
        code: 0,
        lines: [
          expect.stringContaining("8 files"),
          expect.stringContaining("OK"),
          expect.stringContaining("parts of a kit"),
        ],
      });
      truncateSync(join(folder, "kit.tar.002"), 512);
      expect((await verify()).lines).toEqual(["changed: kit.tar.002", NOT_OK(1)]);
      rmSync(join(folder, "kit.tar.002"));
      expect((await verify()).lines).toEqual(["missing: kit.tar.002", NOT_OK(1)]);
      writeFileSync(join(folder, "kit.tar.002"), parts[1] ?? "");
      const joined = scratchFolder(context);
      await operator.type(`cat kit.tar.* | tar -xf - -C '${joined}'`, { cwd: folder });
      expect(await operator.run(join(joined, "kit/verify.sh"), [keyFile])).toMatchObject({ code: 0 });
    },
  );
});
