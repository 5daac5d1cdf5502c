import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { type KeyPair, type KINDS, type Kit, newKey, writeKit } from "./kitFolder.ts";
import { type Ended, Operator, scratchFolder, type System } from "./systems.ts";

/** The last line of verify.sh about a refused kit. */
export const NOT_OK = (reasons: number): string => `NOT OK (${reasons}): do not use this kit.`;

interface Carried {
  readonly kit: Kit;
  readonly key: KeyPair;
  readonly operator: Operator;
  /** Checks the kit with this key, or the one that it was signed with. */
  readonly verify: (other?: KeyPair) => Promise<Ended>;
}

/** A signed kit, and a function that checks it. */
export function carry(
  context: TestContext,
  system: System,
  kind: (typeof KINDS)[number] = "ecdsa-p256",
): Carried {
  const folder = scratchFolder(context);
  const key = newKey(kind);
  const kit = writeKit(join(folder, "kit"), { key });
  const operator = new Operator(context, system);
  return {
    kit,
    key,
    operator,
    verify: ({ publicKey } = key) => {
      const file = join(folder, "key.pem");
      writeFileSync(file, publicKey);
      return operator.run(join(kit.folder, "verify.sh"), [file]);
    },
  };
}
