import { lookUpAgentJob } from "../../agentJob/lookUp";
import { installationFeatures } from "../../installation/installationFeatures";
import { installationValues } from "../../installation/installationValues";
import { verifyInstalledImage } from "../../installation/verifyInstalledImage";
import type { Context } from "../../resource/context";
import { MultilineError } from "../session/rowReporter";
import type { Properties } from "../session/storedProperties";
import type { Secrecy } from "./secrecy";

/**
 * A function of the package, which a program calls without a resource. It throws an Error that says what is wrong.
 *
 * @param given the arguments, unchecked
 * @param call.secrecy receives what is secret in the result, besides what is secret in the arguments
 * @param call.isPreview whether a preview calls it. Older engines do not tell: then it counts as a run
 */
type ProviderFunction = (
  context: Context,
  given: Properties,
  call: { readonly secrecy: Secrecy; readonly isPreview: boolean },
) => Promise<Properties>;

/** The functions of the package, by token. */
export const FUNCTIONS: Readonly<Record<string, ProviderFunction>> = {
  "docs-hosting:index:getAgentJob": async (context, given) => ({ ...(await lookUpAgentJob(context, given)) }),
  "docs-hosting:index:installationFeatures": (_context, given) => {
    const result = installationFeatures(given);
    return "problem" in result
      ? Promise.reject(new MultilineError(`installationFeatures: ${result.problem}`, ""))
      : Promise.resolve({ ...result.outputs });
  },
  "docs-hosting:index:installationValues": async (context, given, { secrecy, isPreview }) => {
    const { reporter, configuration } = context;
    const result = installationValues(given);
    if ("problems" in result) {
      throw new MultilineError(`installationValues: ${result.problems.join("\n")}`, "");
    }
    const { unverified } = result;
    if (unverified !== undefined) {
      const { environment } = configuration;
      await verifyInstalledImage({ ...context, environment }, unverified.image, unverified.verification, {
        owner: "installationValues",
        isPreview,
      });
    }
    if (result.link !== undefined) secrecy.addText(result.link);
    if (result.warning !== undefined) reporter.warn(`installationValues: ${result.warning}`);
    return { ...result.outputs };
  },
};
