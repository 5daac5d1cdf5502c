// A network without egress: the connections that pods may not begin, and a registry inside.
import type { TestContext } from "vitest";
import { type Registry, startRegistry } from "../copies/registry.ts";
import { runCommand } from "../programs/commands.ts";
import { hostAddress } from "./installation.ts";

/** The address at which tests can restart the node that they started. */
export const CONTROL = process.env["CLUSTER_NODE_CONTROL"];

/** All connections that pods begin, of any protocol and to any address. Replies pass. */
const FROM_PODS = ["-i", "cni0", "-m", "conntrack", "--ctstate", "NEW", "-j", "REJECT"];

/** Refuses connections that pods begin, until the test ends. */
export async function closeGap(context: TestContext): Promise<void> {
  context.skip(CONTROL === undefined, "only the node that these tests start is cut off and restarted");
  for (const chain of ["INPUT", "FORWARD"]) {
    await runCommand("iptables", ["-I", chain, ...FROM_PODS]);
    context.onTestFinished(() => void runCommand("iptables", ["-D", chain, ...FROM_PODS]));
  }
}

/** Allows pods to connect to one port of this machine, until the test ends. */
export async function openTo(context: TestContext, port: string): Promise<void> {
  const rule = ["INPUT", "-i", "cni0", "-p", "tcp", "-d", hostAddress(), "--dport", port, "-j", "ACCEPT"];
  await runCommand("iptables", ["-I", ...rule]);
  context.onTestFinished(() => void runCommand("iptables", ["-D", ...rule]));
}

/** A registry in the nodes' network, with the base image of sites. */
export async function registryWithBase(context: TestContext): Promise<Registry & { base: string }> {
  const registry = await startRegistry(context);
  const base = `${registry.host}/nginx:1`;
  await runCommand(process.env["CRANE"] ?? "crane", [
    "push",
    process.env["CLUSTER_WEB_IMAGE_FILE"] ?? "",
    base,
  ]);
  return { ...registry, base };
}
