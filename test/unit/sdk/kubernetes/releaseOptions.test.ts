// The options of a component that the release gets, and the hook before the user's own.
import type * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { releaseOptions } from "../../../../sdk/kubernetes/releaseOptions.ts";

const found: { hook: unknown } = vi.hoisted(() => ({ hook: undefined }));
vi.mock("../../../../sdk/kubernetes/releaseFailureHook.ts", () => ({ releaseFailureHook: () => found.hook }));
afterEach(() => (found.hook = undefined));

const component: pulumi.ComponentResource = {} as never;
const ours: pulumi.ErrorHook = { name: "ours" } as never;
const users: pulumi.ErrorHook = { name: "users" } as never;

test("hooks for errors belong to the release: ours first, then the user's", () => {
  found.hook = ours;
  expect(releaseOptions(component, { hooks: { onError: [users] } })).toEqual({
    hooks: { onError: [ours, users] },
    parent: component,
  });
  expect(releaseOptions(component, {}).hooks).toEqual({ onError: [ours] });
});

test("without a hook of ours the user's remain, and without any there are none", () => {
  expect(releaseOptions(component, { hooks: { onError: [users] } }).hooks).toEqual({ onError: [users] });
  for (const none of [{}, { hooks: {} }, { hooks: { afterCreate: [] } }]) {
    expect(releaseOptions(component, none)).toStrictEqual({ parent: component });
  }
});
