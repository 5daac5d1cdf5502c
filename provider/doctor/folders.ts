import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { diskFailure, type DiskPlace } from "../base/runtime/files/diskFailure";
import { ELSEWHERE, homeFolder } from "../base/runtime/files/homeFolder";
import { failureOf, type Finding, findingOf, ok } from "./finding";
import type { DoctorHost } from "./host";

const NO_SIGNAL = new AbortController().signal;

/** The folders of this machine that every run writes to. */
export function checkFolders(host: DoctorHost): Finding[] {
  return [
    findingOf("pulumi-home", () =>
      folderFinding("pulumi-home", homeFolder(host.environment, "", host.homeFolder), ELSEWHERE),
    ),
    findingOf("temporary-folder", () =>
      folderFinding("temporary-folder", host.temporaryFolder, { elsewhere: "set TMPDIR to another folder" }),
    ),
  ];
}

/** Writes a file to a folder, or to its nearest parent that exists, and removes it. */
export function folderFinding(check: string, folder: string, place: DiskPlace = {}): Finding {
  let at = folder;
  // Stryker disable next-line ConditionalExpression: on Windows a drive may be missing; elsewhere the root always exists
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    const own = mkdtempSync(join(at, ".docs-hosting-doctor-"));
    try {
      writeFileSync(join(own, "file"), "x".repeat(4096));
    } finally {
      rmSync(own, { recursive: true });
    }
    return ok(check, at === folder ? `${folder} can be written` : `${folder} can be made in ${at}`);
  } catch (error) {
    return failureOf(check, diskFailure(error, folder, NO_SIGNAL, place));
  }
}
