// The configuration of a stack: full names («project:name») and which values are secret.
import type { StackSettings } from "./stack.ts";

export interface ConfigEntry {
  value: string;
  secret: boolean;
}

export type StackConfig = Map<string, ConfigEntry>;

/** A name without a namespace belongs to the project. */
export const fullName = (project: string, name: string): string =>
  name.includes(":") ? name : `${project}:${name}`;

export function readConfig({ project, config, secretConfig }: StackSettings): StackConfig {
  const entries: StackConfig = new Map();
  for (const [name, value] of Object.entries(config ?? {})) {
    entries.set(fullName(project, name), { value, secret: false });
  }
  for (const [name, value] of Object.entries(secretConfig ?? {})) {
    entries.set(fullName(project, name), { value, secret: true });
  }
  return entries;
}
