import { InputError } from "../base/runtime/messages/errors";
import { explained } from "../base/runtime/messages/explainedError";
import { withoutSecrets } from "../base/runtime/messages/reporter";
import { startDeadline } from "../base/runtime/time/clock";
import {
  baseProblem,
  parseBase,
  RegistryClient,
  type RegistryContext,
  signatureProblem,
  verifierFrom,
} from "../publishing/index";
import type { ImageVerification } from "./imageVerification";

/** Time limit of a verification, in milliseconds. */
const LIMIT_MS = 60_000;

/** What a verification needs from the outside. */
export type VerificationContext = Omit<RegistryContext, "deadline">;

/**
 * Verifies the signature of an image before an installation runs it. If a preview cannot reach the registry, it warns: the run
 * verifies the image again.
 *
 * @param image `repository@sha256:…`
 * @param verification as `verificationProblem` accepts it
 * @param run.owner names the installation in messages
 * @throws DocsHostingError that says what is wrong, and that nothing was installed; the signal's reason
 */
export async function verifyInstalledImage(
  given: VerificationContext,
  image: string,
  verification: ImageVerification,
  { owner, isPreview }: { readonly owner: string; readonly isPreview: boolean },
): Promise<void> {
  const { secrets, signal } = given;
  const reporter = withoutSecrets(given.reporter, secrets);
  const context = { ...given, reporter, deadline: startDeadline(given.clock, LIMIT_MS) };
  try {
    const verifier = verifierFrom(verification.publicKey);
    const { client, digest } = imageIn(image, context, verification);
    const problem = await signatureProblem(client, digest, verifier).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!isPreview) throw error;
      const { message } = explained(error, owner, "The run verifies the image, and fails if it still cannot");
      reporter.warn(`this preview cannot verify the signature. ${message}`);
      return undefined;
    });
    if (problem) throw problem;
  } catch (error) {
    const failure = explained(error, owner, "Nothing was installed, and no pod was changed");
    secrets.removeFromError(failure);
    throw failure;
  }
}

/** @throws InputError for an image without a digest */
function imageIn(image: string, context: RegistryContext, { plainHttp }: ImageVerification) {
  const problem = baseProblem(image);
  const reference = problem === undefined ? parseBase(image) : undefined;
  if (reference?.digest === undefined) {
    throw new InputError(
      `\`verify\` needs the digest of the image, and ${JSON.stringify(image)} ${problem ?? "has none"}`,
      "Give the output `image` of the BundleCopy: repository@sha256:… Another image could get a tag at any time.",
    );
  }
  const client = new RegistryClient(reference, context, { actions: "pull", plainHttp });
  return { client, digest: reference.digest };
}
