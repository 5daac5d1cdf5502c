import { isUnknown } from "../../base/runtime/messages/plainText";
import { destinationChange, keepsArchives, kindFacts, wantedIn } from "../../publishing/index";
import type { CheckFailure } from "../../resource/inputTable";
import type { PublicationKind } from "../publication/publicationKind";
import { copyDestination } from "./copyDestination";
import { destinationFailures } from "./destinationFailures";
import { importCopy } from "./importCopy";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "./inputs";
import { linkTo, reasonToSign } from "./links";
import { BUNDLE_COPY_OUTPUTS } from "./outputs";
import { type BundleCopyState, COPY_STATE, type MadeCopy } from "./state";

/** How a BundleCopy publishes: copies of a bundle in a folder, a bucket or a registry's repository. */
export const COPIES: PublicationKind<{ inputs: CheckedCopyInputs; item: MadeCopy; state: BundleCopyState }> =
  {
    terms: {
      resource: "BundleCopy",
      item: "copy",
      items: "copies",
      made: "made",
      action: "is copied",
      of: "",
      span: "docs_hosting.bundle_copy",
    },
    table: BUNDLE_COPY_INPUTS,
    outputs: BUNDLE_COPY_OUTPUTS,
    state: COPY_STATE,
    conflicts,
    localFailures: ({ destination }) => destinationFailures(destination),
    reasonsToPublish({ sha256, destination }, { outputs }) {
      const reasons: string[] = [];
      if (destinationChange(outputs.destination, destination) === "content") {
        reasons.push("destination changed");
      }
      if (sha256 !== undefined && !isUnknown(sha256) && sha256 !== outputs.sha256) {
        reasons.push("the copy has another sha256 than requested");
      }
      return reasons;
    },
    destinationOf: copyDestination,
    links: {
      reasonToSign,
      sign: (context, inputs, { copy }) => linkTo(context, inputs, copy),
    },
    import: importCopy,
  };

function conflicts({ destination, signingKeyEnv, ...inputs }: CheckedCopyInputs): CheckFailure[] {
  if (kindFacts(destination)?.isImage !== false) return [];
  const failures: CheckFailure[] = [];
  if (keepsArchives(destination)) {
    const reason =
      'an archive stays as the service made it. Give the destination `layout: "site"`, or copy to a repository.';
    failures.push(...wantedIn(inputs).map(({ name }) => ({ property: name, reason })));
  }
  if (signingKeyEnv !== undefined) {
    const reason =
      "only an image has a place for a signature, and programs that verify it. Copy to a `repository`. An AirGapKit signs files.";
    failures.push({ property: "signingKeyEnv", reason });
  }
  return failures;
}
