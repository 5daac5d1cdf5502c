import { API_KEY, resolveApiKey, resolveBaseUrl } from "../service/configuration";
import { variableNameProblem } from "./inputRules";
import { configured, type InputTable, text } from "./inputTable";

/** Inputs that select the service and the API key. */
export interface ServiceInputs {
  /**
   * Base URL of the service. A change replaces the resource.
   *
   * @default `DOCS_HOSTING_BASE_URL`, then the config `docs-hosting:baseUrl`
   */
  baseUrl?: string;
  /**
   * Name of the environment variable with the admin API key, for example for a second account.
   *
   * @default `DOCS_HOSTING_ADMIN_API_KEY` (then the config `docs-hosting:adminApiKey`)
   */
  apiKeyEnv?: string;
}

/** The rows of {@link ServiceInputs}. A base URL and a key are required. */
export const SERVICE_INPUTS: InputTable<ServiceInputs> = {
  baseUrl: {
    change: "replaces",
    default: "", // what is configured
    rule: text((value, configuration) => configured(() => resolveBaseUrl(configuration, value))),
  },
  apiKeyEnv: {
    change: "remembered",
    default: API_KEY.variable,
    rule: text((value, configuration) => {
      const problem = variableNameProblem(value, configuration);
      if (problem !== undefined) return { problem };
      const key = configured(() => resolveApiKey(configuration, value));
      return "problem" in key ? key : { value };
    }),
  },
};
