import { lookUpAgentJob } from "../../agentJob/lookUp";
import { installationValues } from "../../installation/installationValues";
import type { Context } from "../../resource/context";
import { MultilineError } from "../session/shownText";
import type { Properties } from "../session/storedProperties";
import type { Secrecy } from "./secrecy";

/** A function of the package, which a program calls without a resource. */
export interface ProviderFunction {
  /**
   * @param given the arguments, unchecked
   * @param secrecy receives what is secret in the result, besides what is secret in the arguments
   * @throws an Error that says what is wrong
   */
  run(context: Context, given: Properties, secrecy: Secrecy): Promise<Properties> | Properties;
}

/** The functions of the package, by token. */
export const FUNCTIONS: Readonly<Record<string, ProviderFunction>> = {
  "docs-hosting:index:getAgentJob": {
    run: async (context, given) => ({ ...(await lookUpAgentJob(context, given)) }),
  },
  "docs-hosting:index:installationValues": {
    run: ({ reporter }, given, secrecy) => {
      const result = installationValues(given);
      if ("problems" in result)
        throw new MultilineError(`installationValues: ${result.problems.join("\n")}`, "");
      if (result.link !== undefined) secrecy.addText(result.link);
      if (result.warning !== undefined) reporter.warn(`installationValues: ${result.warning}`);
      return { ...result.outputs };
    },
  },
};
