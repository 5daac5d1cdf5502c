import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../base/runtime/messages/errors";
import { isDigest } from "../../base/runtime/values/digest";
import { fieldsOf } from "../../publishing/index";
import { ruleOfVersion } from "../../resource/inputRules";
import { THIS_KIT } from "./imagesFolder";

const REMEDY = "Give the path of the earlier kit's manifest.json.";

/** A kit that the target network already has. The next kit leaves out its content. */
export interface EarlierKit {
  readonly version: string;
  /** Of its manifest: hexadecimal digits. */
  readonly sha256: string;
  /** The label of the kit that contains a blob: this kit, or an earlier one. */
  readonly has: (digest: string) => string | undefined;
}

/**
 * Reads the manifest of an earlier kit.
 *
 * @param path of its `manifest.json`
 * @throws InputError when the file is not a kit's manifest
 */
export function readEarlierKit(path: string): EarlierKit {
  let bytes: Buffer;
  try {
    bytes = readFileSync(resolve(path));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new InputError(`the manifest ${path}, which \`since\` names, cannot be read (${code})`, REMEDY);
  }
  const { kit, version, blobs } = fieldsOf(bytes);
  if (kit !== 1 || !isLabel(version) || !Array.isArray(blobs)) {
    throw new InputError(`${path} is not the manifest of a kit`, REMEDY);
  }
  if (version === THIS_KIT) {
    throw new InputError(
      `the kit of ${path} has the version «${THIS_KIT}», the name by which a manifest means the kit itself`,
      "Write that kit again with another `version`.",
    );
  }
  const holders = new Map<string, string>();
  for (const blob of blobs as unknown[]) {
    const { digest, in: holder } = fieldsOf(blob);
    if (isDigest(digest) && isLabel(holder)) {
      holders.set(digest, holder === THIS_KIT ? version : holder);
    }
  }
  return {
    version,
    sha256: hash("sha256", bytes),
    has: (digest: string) => holders.get(digest),
  };
}

/** Validates a kit's label: the manifest is untrusted, and its label goes into another kit and its texts. */
function isLabel(value: unknown): value is string {
  return typeof value === "string" && "value" in ruleOfVersion(value);
}
