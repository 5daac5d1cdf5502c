import {
  API_KEY_VARIABLE,
  resolveApiKey,
  resolveBaseUrl,
  type ConfigurationSource,
} from "../service/configuration";
import { ConfigurationError } from "../words/errors";
import { isUnknown } from "../words/unknown";

/** What is wrong with one of the user's own properties. */
export interface CheckFailure {
  property: string;
  reason: string;
}

/** Inputs that say which service is asked, and with which key: every resource has them. */
export interface ServiceInputs {
  /**
   * Base URL of the service. A change replaces the resource.
   *
   * @default `DOCS_HOSTING_BASE_URL`, then the config `docs-hosting:baseUrl`
   */
  baseUrl?: string;
  /**
   * Name of the environment variable that holds the admin API key, for a second account.
   *
   * @default `DOCS_HOSTING_ADMIN_API_KEY` (then the config `docs-hosting:adminApiKey`)
   */
  apiKeyEnv?: string;
}

/** The names of {@link ServiceInputs}. */
export const SERVICE_INPUTS = ["baseUrl", "apiKeyEnv"] as const satisfies (keyof ServiceInputs)[];

/**
 * Applies rules to the inputs of a resource, before any request and without any. Values that a preview does not know yet
 * pass unseen; `null`, `undefined` and absent are the same.
 */
export class InputRules<Name extends string> {
  /** One spelling for each value that kept its rule. */
  readonly inputs: Partial<Record<Name, unknown>> = {};
  readonly failures: CheckFailure[] = [];
  readonly #publicNames: Partial<Record<Name, string>>;

  /**
   * @param names of all inputs that there are
   * @param publicNames what the user calls an input, where that is another name
   */
  constructor(
    given: Readonly<Record<string, unknown>>,
    names: readonly Name[],
    publicNames: Partial<Record<Name, string>> = {},
  ) {
    this.#publicNames = publicNames;
    for (const [name, value] of Object.entries(given)) {
      if (value === null || value === undefined) continue;
      this.inputs[name as Name] = value;
      if (!(names as readonly string[]).includes(name)) {
        const all = names.map((known) => publicNames[known] ?? known).join(", ");
        this.failures.push({ property: name, reason: `there is no such input. Inputs are: ${all}` });
      }
    }
  }

  fail(name: Name, reason: string): undefined {
    this.failures.push({ property: this.#publicNames[name] ?? name, reason });
  }

  hasFailed(name: Name): boolean {
    return this.failures.some(({ property }) => property === (this.#publicNames[name] ?? name));
  }

  /** @param example what it is and looks like, for the user who left it out */
  required(name: Name, example: string): void {
    if (this.inputs[name] === undefined) this.fail(name, `is required: ${example}`);
  }

  /** Replaces a known text by what `rule` makes of it. */
  text(name: Name, rule: (value: string) => string | undefined): void {
    const value = this.known(name);
    if (value === undefined) return;
    this.inputs[name] =
      typeof value === "string" ? rule(value) : this.fail(name, `must be a string, not ${typeof value}`);
  }

  /** The value, when there is one and it is known. */
  known(name: Name): unknown {
    const value = this.inputs[name];
    return isUnknown(value) ? undefined : value;
  }

  /** The rules of {@link ServiceInputs}, with defaults filled in: there has to be a base URL and a key. */
  service(this: InputRules<Name | keyof ServiceInputs>, configuration: ConfigurationSource): void {
    this.text("baseUrl", (value) => value);
    this.text("apiKeyEnv", (value) =>
      /^[A-Za-z_][A-Za-z0-9_]*$/.test(value)
        ? value
        : this.fail(
            "apiKeyEnv",
            "is the name of an environment variable (not the key itself): letters, digits and _",
          ),
    );
    this.inputs["apiKeyEnv"] ??= API_KEY_VARIABLE;
    const configured = <T>(name: keyof ServiceInputs, resolve: () => T): T | undefined => {
      try {
        return resolve();
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        return this.fail(name, `${error.message}. ${error.remedy}`);
      }
    };
    const { baseUrl, apiKeyEnv } = this.inputs;
    if (!isUnknown(baseUrl) && !this.hasFailed("baseUrl")) {
      this.inputs["baseUrl"] = configured("baseUrl", () =>
        resolveBaseUrl(configuration, typeof baseUrl === "string" ? baseUrl : undefined),
      );
    }
    if (typeof apiKeyEnv === "string" && !isUnknown(apiKeyEnv) && !this.hasFailed("apiKeyEnv")) {
      configured("apiKeyEnv", () => resolveApiKey(configuration, apiKeyEnv));
    }
  }
}
