import { expect, type TestContext } from "vitest";
import { type ArchiveServer, send, startArchiveServer } from "./archiveServer.ts";
import { CANARY, PodFolders, type System, type User } from "./fetchRun.ts";

/** A pod, and the store of the link in its Secret. They are removed when the test ends. */
export async function podBesideStore(
  context: Pick<TestContext, "onTestFinished">,
  system: System,
  archive: Buffer,
  user?: User,
): Promise<{ pod: PodFolders; server: ArchiveServer }> {
  const pod = new PodFolders(system, user);
  const server = await startArchiveServer(send(archive));
  pod.writeSecret(`${server.url}/bundle.tar.gz?signature=${CANARY}`);
  context.onTestFinished(() => {
    pod.remove();
    return server.close();
  });
  return { pod, server };
}

/** Runs a fetch that must fail: nothing is served, no files are left. @returns the reason that the pod gives */
export async function refused(pod: PodFolders, environment: Record<string, string> = {}): Promise<string> {
  const { code, log, terminationMessage } = await pod.fetch(environment);
  expect(log).not.toMatch(/fetch-bundle.sh|arithmetic|: not found/);
  expect(log).not.toContain(CANARY);
  expect(log).toContain(terminationMessage.trim());
  expect(code).toBe(1);
  expect(pod.served()).toBeUndefined();
  expect(pod.leftovers()).toEqual([]);
  return terminationMessage;
}
