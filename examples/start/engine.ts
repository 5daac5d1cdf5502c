import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { availableEngines, type EngineKind } from "../../test/engine/index.ts";

/** The engine that runs the program, and the reason for it. */
export interface ChosenEngine {
  kind: EngineKind;
  /** One line for the user. */
  notice: string;
}

/**
 * The Pulumi CLI from PATH; else one that the Automation API installs into `folder`; else the project's own test engine, which
 * runs the same program and the same provider process.
 *
 * @param forced `cli` or `local` (the variable ENGINE): only that one is tried
 * @throws Error when the forced engine is not available
 */
export async function chooseEngine(folder: string, forced: string | undefined): Promise<ChosenEngine> {
  if (forced !== undefined && forced !== "" && forced !== "cli" && forced !== "local") {
    throw new Error(`ENGINE is "${forced}"; it can be "cli" or "local"`);
  }
  if (forced === "local") return { kind: "local", notice: "the test engine of this project (ENGINE=local)" };
  if (availableEngines({ PATH: process.env["PATH"] }).kinds.includes("cli")) {
    return { kind: "cli", notice: "the Pulumi CLI from PATH" };
  }
  try {
    const { command, version } = await PulumiCommand.install({ root: folder });
    process.env["PATH"] = `${folder}/bin:${process.env["PATH"] ?? ""}`;
    return { kind: "cli", notice: `Pulumi CLI ${version?.version ?? ""}, installed as ${command}` };
  } catch (error) {
    const reason = `no Pulumi CLI on PATH, and none could be installed (${(error as Error).message})`;
    if (forced === "cli") throw new Error(`ENGINE is "cli", but there is ${reason}`, { cause: error });
    return { kind: "local", notice: `the test engine of this project: ${reason}` };
  }
}
