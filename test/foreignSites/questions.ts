/**
 * What new users type into the search of the documentation, and the pages that answer it. Written before the search was tried, except
 * for `guides/keys` as an answer to «set the api key»: that guide is newer than the list, and was added after the search had found it.
 */
export const QUESTIONS: readonly (readonly [question: string, ...answers: string[]])[] = [
  ["set the api key", "reference/configuration", "guides/first-export", "guides/keys"],
  ["base URL is not set", "reference/errors", "reference/configuration"],
  ["proxy", "reference/configuration"],
  ["roll back", "reference/static-export", "guides/promotion", "examples/self-hosted/"],
  ["link expired", "reference/errors", "reference/static-export"],
  ["serve in kubernetes", "guides/cluster", "examples/self-hosted/", "reference/self-hosted-docs"],
  ["air gap", "guides/air-gap", "examples/air-gapped/", "reference/air-gap-kit"],
  ["offline search", "reference/offline-search"],
  ["python", "guides/other-languages", "examples/languages/python/"],
  ["pulumi import", "reference/native-plugin"],
  ["time limit passed", "reference/errors"],
  ["customTimeouts", "reference/static-export", "reference/errors"],
  ["two accounts", "reference/static-export"],
  ["s3 bucket permissions", "reference/folders-and-buckets"],
  ["cosign verify", "reference/air-gap-kit"],
  ["registry credentials", "reference/registries-and-images", "reference/air-gap-kit"],
  ["certificate is not trusted", "reference/errors"],
  ["RENEW_WINDOW", "reference/decision-codes"],
  ["opentelemetry", "reference/traces"],
  ["many sites", "guides/fleet", "examples/fleet/"],
  ["how many requests", "guides/cost"],
  ["ctrl-c", "reference/static-export", "reference/errors"],
  ["pending creation", "reference/limits"],
  ["agent pull request", "reference/agent-job", "examples/agent-gate/"],
  ["load from other hosts", "guides/other-hosts", "reference/fetch-external", "reference/errors"],
  ["move to native provider", "guides/native-provider"],
  ["github actions", "examples/fleet/actions/", "guides/fleet"],
  ["helm values", "reference/self-hosted-docs", "examples/self-hosted/chart/"],
  ["rate limit 429", "reference/errors", "how-it-works"],
  ["preview a pull request", "guides/pull-requests"],
  ["promote to production", "guides/promotion"],
  ["windows", "reference/versions"],
  [
    "node version",
    "reference/versions",
    "reference/configuration",
    "guides/first-export",
    "reference/native-plugin",
  ],
];

/** Questions whose answer must be the first result. The changelog has the words of most, and answers none. */
export const FIRST: readonly (readonly [question: string, answer: string])[] = [
  ["the admin API key is malformed", "reference/errors"],
  ["key rotated", "guides/keys"],
  ["API key rotated", "guides/keys"],
  ["roll back", "guides/promotion"],
  ["rollback", "guides/promotion"],
  ["kill -9", "reference/static-export"],
  ["upgrade", "guides/get-the-package"],
  ["upgrade the package", "guides/get-the-package"],
  ["changelog", "changelog"],
];
