// What is broken room by room, and the tests that judge it. Tests that start processes or wait for real time are none
// of them: a room is judged in minutes.
import { readdirSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Part of the code that is judged as a whole. */
interface Room {
  /** Its files, without their folder and ending. */
  readonly files: readonly string[];
  /** Tests, from `test/` on, without their ending. */
  readonly tests: readonly string[];
}

const LIFE_CYCLES = [
  "unit/staticExport",
  "faults/expiry",
  "faults/jobStates",
  "faults/links",
  "faults/jobIds",
];

/** Folders of the code, and their rooms. Each file is in one room, see {@link checkRooms}. */
const FOLDERS = {
  provider: {
    door: {
      files: [
        "dynamic",
        "dynamicProvider",
        "operation",
        "cancellation",
        "engineLog",
        "progress",
        "stuckAnswer",
      ],
      tests: [
        "unit/dynamicProvider",
        "unit/stuckAnswer",
        "unit/cancellation",
        "unit/engineLog",
        "unit/progress",
        "unit/handler",
      ],
    },
    staticExport: {
      files: [
        ...["staticExport", "staticExportConvergence", "staticExportInputs", "staticExportLookup"],
        ...["staticExportPlan", "staticExportState", "exportWorkflow", "domainName"],
      ],
      tests: [
        ...[...LIFE_CYCLES, "unit/staticExportPlan", "unit/staticExportInputs", "unit/idempotentStarts"],
        "faults/inputs",
      ],
    },
    agentJob: {
      files: ["agentJob", "agentJobInputs", "agentJobLifeCycle", "agentJobLookup", "agentJobState"],
      tests: ["unit/agentJob", "unit/agentJobLifeCycle"],
    },
    resource: {
      files: [
        ...[
          "lifeCycle",
          "context",
          "inputRules",
          "decision",
          "resumeRecords",
          "jobRecord",
          "unfinishedError",
        ],
        "salt",
        "unknown",
      ],
      tests: [
        ...["unit/inputRules", "unit/jobRecord"],
        ...["unit/resumeRecords", "unit/staticExportInputs", "unit/agentJobLifeCycle", "unit/staticExport"],
        ...["unit/idempotentStarts", "faults/inputs"],
      ],
    },
    service: {
      files: ["client", "connection", "configuration", "endpoint", "loopback", "proxy"],
      tests: ["unit/client", "unit/configuration", "unit/proxy", "unit/endpoint"],
    },
    replies: {
      files: ["exportJob", "bundleLink", "serviceClock", "identifier", "replyNumber"],
      tests: ["unit/exportJob", "unit/bundleLink", "unit/serviceClock", "unit/endpoint"],
    },
    http: {
      files: ["transport", "attemptConnection", "exchange"],
      tests: [
        ...["unit/transport", "faults/answers", "faults/bodies", "faults/network"],
        ...["faults/networkTls", "faults/networkProxy", "faults/jobStates"],
      ],
    },
    failures: {
      files: ["connectionFailure", "failedAttempt", "retryPolicy", "replyBody"],
      tests: ["unit/failedAttempt", "unit/retryPolicy", "unit/replyBody"],
    },
    waiting: {
      files: ["waiter", "jobWait", "pollSchedule", "remainingTime", "lookHistory"],
      tests: [
        ...["unit/waiter", "unit/pollSchedule", "unit/remainingTime", "unit/lookHistory", "unit/progress"],
        ...LIFE_CYCLES,
      ],
    },
    time: {
      files: ["clock", "deadline", "duration"],
      tests: ["unit/clock", "unit/deadline", "unit/duration", "unit/waiter"],
    },
    words: {
      files: ["errors", "explanation", "redaction", "reporter", "plainText"],
      tests: ["unit/redaction", "unit/explanation", "unit/plainText", "unit/reporter"],
    },
  },
  sdk: {
    sdk: {
      files: [
        ...["agentJob", "getAgentJob", "handler", "index", "plainKeyWarning", "resourceProperties"],
        ...["resourceUrn", "staticExport", "staticExportLink", "staticExportValues", "featureSupport"],
      ],
      tests: [
        ...["unit/registeredResources", "unit/getAgentJob", "unit/handler", "unit/staticExportValues"],
        ...["unit/featureSupport", "unit/requestedFeatures"],
      ],
    },
    kubernetes: {
      files: ["kubernetes", "kubernetesPackage", "selfHostedDocs", "releaseFailureHook", "releaseOptions"],
      tests: ["unit/selfHostedDocs", "unit/releaseOptions", "unit/releaseFailureHook"],
    },
    charts: {
      files: ["releaseFailure", "requestedFeatures", "mergeValues", "chartDigest", "installationChart"],
      tests: [
        ...["unit/releaseFailure", "unit/requestedFeatures", "unit/mergeValues", "unit/chartDigest"],
        "unit/installationChart",
      ],
    },
  },
} as const satisfies Record<string, Record<string, Room>>;

/** Each room with its files as paths from the root of the repository. */
export const ROOMS: ReadonlyMap<string, Room> = new Map(
  Object.entries(FOLDERS).flatMap(([folder, rooms]) =>
    Object.entries<Room>(rooms).map(([name, { files, tests }]) => [
      name,
      { files: files.map((file) => `${folder}/${file}.ts`), tests },
    ]),
  ),
);

/** @throws Error that names each file which is in no room, in two, or in one but not there any more */
export function checkRooms(): void {
  const listed = [...ROOMS.values()].flatMap(({ files }) => files);
  const there = Object.keys(FOLDERS).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
  const problems = [
    ...there.filter((file) => !listed.includes(file)).map((file) => `${file} is in no room`),
    ...listed
      .filter((file, index) => listed.indexOf(file) !== index)
      .map((file) => `${file} is in two rooms`),
    ...listed.filter((file) => !there.includes(file)).map((file) => `${file} is not there`),
  ];
  if (problems.length > 0) throw new Error(`test/mutations/rooms.ts: ${problems.join("; ")}`);
}
