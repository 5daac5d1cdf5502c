import { newOwner, type Owner } from "../../provider/publishing/ownership/owner.ts";

/** The URN of the copy that most tests are about. */
export const COPY_URN = "urn:pulumi:dev::docs::pulumi-nodejs:dynamic/docs-hosting:BundleCopy::docs";

/** The owner of this process: all operations of a test are those of one resource, unless it gives another owner. */
export const OWNER: Owner = newOwner(COPY_URN);

/** Another resource, in another stack. */
export function otherOwner(stack = "prod"): Owner {
  return newOwner(`urn:pulumi:${stack}::website::pulumi-nodejs:dynamic/docs-hosting:BundleCopy::site`);
}
