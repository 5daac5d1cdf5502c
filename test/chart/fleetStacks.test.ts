// The chart of examples/fleet: the objects that it makes from files of sites.
import { describe, expect, test } from "vitest";
import {
  fleetOf,
  namesOf,
  ofKind,
  podOfCronJob,
  renderFleet,
  sitesFile,
  specOf,
  templateFleet,
} from "./fleetChart.ts";

const TEAMS = {
  "team-a-01.json": sitesFile(100),
  "team-a-02.json": sitesFile(7),
  "team-b-01.json": sitesFile(100),
};

describe("of files of sites", () => {
  test("a namespace gets those of its team: for each the stack, its list, its service account with one right, its volume", async (context) => {
    const chart = await fleetOf(context, TEAMS);
    for (const [team, stacks] of [
      ["team-a", ["team-a-01", "team-a-02"]],
      ["team-b", ["team-b-01"]],
    ] as const) {
      const manifests = await renderFleet(chart, {}, team);
      expect(namesOf(manifests, "Stack")).toEqual(stacks);
      expect(namesOf(manifests, "PersistentVolumeClaim")).toEqual(stacks);
      expect(namesOf(manifests, "ServiceAccount").sort()).toEqual([...stacks, "docs-fleet-wake"].sort());
      for (const stack of stacks) {
        const list = ofKind(manifests, "ConfigMap").find(({ metadata }) => metadata.name === stack);
        expect(list?.data).toEqual({ [`${stack}.json`]: TEAMS[`${stack}.json`] });
        const right = ofKind(manifests, "ClusterRoleBinding").find(
          ({ subjects }) => subjects[0]?.name === stack,
        );
        expect(right?.metadata.name).toContain(team);
        expect(right?.roleRef).toMatchObject({ kind: "ClusterRole", name: "system:auth-delegator" });
        expect(right?.subjects).toEqual([{ kind: "ServiceAccount", name: stack, namespace: team }]);
        const spec = specOf(ofKind(manifests, "Stack").find(({ metadata }) => metadata.name === stack));
        expect([spec.stack, spec.serviceAccountName]).toEqual([stack, stack]);
        const { volumes } = spec.workspaceTemplate.spec.podTemplate.spec;
        expect(
          volumes.map(({ configMap, persistentVolumeClaim: claim }) => configMap?.name ?? claim?.claimName),
        ).toEqual([stack, stack]);
      }
    }
  });

  test("those of a team whose name only begins with that of the namespace are not included; `team` names another", async (context) => {
    const chart = await fleetOf(context, { "team-01.json": sitesFile(1), "team-a-01.json": sitesFile(1) });
    expect(namesOf(await renderFleet(chart, {}, "team"), "Stack")).toEqual(["team-01"]);
    expect(namesOf(await renderFleet(chart, { team: "team-a" }, "elsewhere"), "Stack")).toEqual([
      "team-a-01",
    ]);
  });

  const long = `team-a-${"1".repeat(36)}`;
  test.for<[what: string, files: Record<string, string>, says: string[]]>([
    ["none of the team", { "team-b-01.json": sitesFile(1) }, ["There is no file sites/team-a-NN.json"]],
    ["a name without a number", { "team-a.json": sitesFile(1) }, ["sites/team-a.json", "TEAM-NN.json"]],
    [
      "another ending",
      { "team-a-01.yaml": "a: 1", "team-a-02.json": sitesFile(1) },
      ["sites/team-a-01.yaml"],
    ],
    [
      "a name too long for the operator",
      { [`${long}.json`]: sitesFile(1) },
      [long, "at most 42 characters; this one has 43"],
    ],
    [
      "half of one",
      { "team-a-01.json": sitesFile(3).slice(0, -2) },
      ["sites/team-a-01.json is no JSON object"],
    ],
    ["no sites", { "team-a-01.json": '{ "sites": {} }' }, ["sites/team-a-01.json has no sites"]],
    ["an empty file", { "team-a-01.json": "" }, ["sites/team-a-01.json is no JSON object"]],
    [
      "101 sites",
      { "team-a-01.json": sitesFile(101) },
      ["sites/team-a-01.json has 101 sites; a stack can have at most 100"],
    ],
  ])(
    "%s is refused before anything reaches the cluster, with the name of the file",
    async ([, files, says], context) => {
      const chart = await fleetOf(context, files);
      const { code, stdout, output } = await templateFleet(chart);
      expect([code, stdout]).toEqual([1, ""]);
      for (const text of says) expect(output).toContain(text);
    },
  );
});

describe("with `engine: cronjob`", () => {
  test("each file is a CronJob, whose runs do not overlap, have a time limit, and end with the result of `pulumi up`; there are no objects of the operator", async (context) => {
    const chart = await fleetOf(context, TEAMS);
    const manifests = await renderFleet(chart, { engine: "cronjob" });
    expect(namesOf(manifests, "CronJob")).toEqual(["team-a-01", "team-a-02"]);
    for (const kind of ["Stack", "ClusterRoleBinding", "Role"]) expect(namesOf(manifests, kind)).toEqual([]);
    const [one, two] = ofKind(manifests, "CronJob");
    expect(one?.spec).toMatchObject({ concurrencyPolicy: "Forbid" });
    expect(one?.spec["schedule"]).toMatch(/^\d+ \* \* \* \*$/);
    expect(one?.spec["schedule"]).not.toBe(two?.spec["schedule"]);
    const { job, pod } = await podOfCronJob({ cronjob: { deadlineSeconds: 1200 } });
    expect(job).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 1200 });
    expect(pod.spec["restartPolicy"]).toBe("Never");
    const [run] = pod.spec.containers;
    // the result of the container is that of `pulumi up`, which also gets the signal
    expect(run?.command?.slice(0, 2)).toEqual(["sh", "-ec"]);
    expect(run?.command?.at(-1)).toMatch(/^trap 'exit 143' TERM$/m); // and so do the commands before it
    expect(run?.command?.at(-1)?.trimEnd().split("\n").at(-1)).toMatch(/^exec pulumi up /);
    expect(run?.command?.at(-1)).toContain(
      "pulumi config set --stack 'team-a-01' sites /etc/docs-fleet/team-a-01.json",
    );
  });
});
