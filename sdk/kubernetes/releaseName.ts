import * as pulumi from "@pulumi/pulumi";

/** Helm's rule for the name of a release. */
const VALID = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAME = 53;

/** What the Kubernetes plugin appends to the name of a resource if a release has no name: a hyphen and eight digits. */
const RANDOM_LETTERS = 9;

/** @returns why Helm would refuse this `release.name`, after a preview without an error */
export function releaseNameProblem(name: string): string | undefined {
  const broken = brokenRule(name, LONGEST_NAME);
  return broken && `\`release.name\` "${name}" is not a name that Helm accepts: ${broken}.`;
}

/** The same for a release without a name, whose name the plugin makes of that of the resource. */
export function generatedNameProblem(name: string): string | undefined {
  // the engine makes other names then
  if (new pulumi.Config("pulumi").get("autonaming") !== undefined) return undefined;
  const broken = brokenRule(`${name}-0`, LONGEST_NAME - RANDOM_LETTERS + 2);
  return (
    broken &&
    `without \`release.name\`, the release is called "${name}-" and eight random digits, which is not a name that Helm accepts: ` +
      `${broken}. Set \`release.name\`.`
  );
}

function brokenRule(name: string, most: number): string | undefined {
  if (name.length > most) return `it has more than ${LONGEST_NAME} letters`;
  return VALID.test(name)
    ? undefined
    : "only small letters, digits, hyphens and dots, with a letter or digit at both ends and beside each dot";
}
