// The provider's records beside the state, as a test reads them from the disk.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface ResumeRecord {
  jobId: string;
  /** The file's permissions. */
  mode: number;
  path: string;
}

export function readResumeRecords(pulumiHome: string): ResumeRecord[] {
  const records = join(pulumiHome, "docs-hosting/resume");
  if (!existsSync(records)) return [];
  return readdirSync(records).flatMap((name) => {
    const path = join(records, name);
    const text = readFileSync(path, "utf8");
    if (text === "") return []; // being written
    const { jobId } = JSON.parse(text) as { jobId?: string };
    if (jobId === undefined) return []; // a start that is under way
    return [{ jobId, mode: statSync(path).mode & 0o777, path }];
  });
}
