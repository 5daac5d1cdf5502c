import * as pulumi from "@pulumi/pulumi";
import {
  type ImageVerification,
  NOTHING_TO_VERIFY,
  verificationProblem,
} from "../../provider/installation/imageVerification";
import { isCopy } from "../copiedSite";
import { programContext } from "../programContext";
import type { InputsOf } from "../providedResource";
import type { BundleCopyValues, SiteSource } from "../staticExportValues";

/** How the signature of an image is verified: see {@link ImageVerification} for the meaning of each field. */
export type ImageVerificationArgs = InputsOf<ImageVerification>;

/** A verification of a site's image. A copy tells whether its registry has TLS. */
export function verificationOf(source: SiteSource, verify: ImageVerificationArgs): ImageVerificationArgs {
  if (verify.plainHttp !== undefined || !isCopy(source)) return verify;
  const plainHttp = source.destination.apply(
    (destination) => (Object(destination) as { plainHttp?: boolean }).plainHttp ?? false,
  );
  return { ...verify, plainHttp };
}

/**
 * The values of a site, with an image that is known only after its signature was verified. So a release that takes the values waits for it,
 * and is not touched if the signature does not verify.
 *
 * @param owner name of the caller, for messages
 * @returns values that fail in previews, too, unless the preview does not know the image or cannot reach its registry
 * @throws pulumi.RunError for a site that is not an image, or an invalid key, if that is known when the program runs
 */
export function verifiedValues<Values extends object>(
  values: Values,
  verify: ImageVerificationArgs,
  owner: string,
): Values {
  const refuse = (problem: string): never => {
    throw new pulumi.RunError(`${owner}: ${problem}`);
  };
  const { siteImage, siteVolume } = values as Partial<BundleCopyValues>;
  if (!siteImage && !siteVolume) refuse(NOTHING_TO_VERIFY);
  const { publicKey } = verify;
  if (typeof publicKey === "string") {
    const problem = verificationProblem({ publicKey });
    if (problem !== undefined) refuse(problem);
  }
  const image = pulumi
    .all([siteImage, siteVolume?.image, pulumi.output(verify)])
    .apply(async ([runnable, volume, verification]) => {
      const name = runnable ?? volume;
      if (!name) return refuse(NOTHING_TO_VERIFY);
      const problem = verificationProblem({ ...verification });
      if (problem !== undefined) refuse(problem);
      await verifyNow(name, verification as ImageVerification, owner);
    });
  const verified = (output: pulumi.Output<string | undefined>): pulumi.Output<string | undefined> =>
    pulumi.all([output, image]).apply(([name]) => name);
  return {
    ...values,
    ...(siteImage && { siteImage: verified(siteImage) }),
    ...(siteVolume && { siteVolume: { image: verified(siteVolume.image) } }),
  };
}

async function verifyNow(image: string, verification: ImageVerification, owner: string): Promise<void> {
  const [{ verifyInstalledImage }, context] = await Promise.all([
    import("../../provider/installation/verifyInstalledImage.js"),
    programContext(),
  ]);
  try {
    await verifyInstalledImage(context, image, verification, { owner, isPreview: pulumi.runtime.isDryRun() });
  } catch (error) {
    const failure = new pulumi.RunError((error as Error).message);
    failure.stack = failure.message; // Pulumi prints it
    throw failure;
  }
}
