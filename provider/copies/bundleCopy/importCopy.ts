import { hashFile } from "../../base/runtime/files/hashFile";
import { BundleRefusedError, InputError } from "../../base/runtime/messages/errors";
import { explained } from "../../base/runtime/messages/explainedError";
import { present } from "../../base/runtime/values/fields";
import {
  type AdditionFacts,
  additionsOf,
  archiveFormat,
  type Claimant,
  destinationOf,
  editionOf,
  type FoundCopy,
  GUESSED_ADDITIONS,
  newOwner,
  signerFrom,
  type SiteAdditions,
  SiteDigests,
  unpackSite,
  unpublished,
} from "../../publishing/index";
import { checkedByTable } from "../../resource/inputTable";
import { DEFAULT_LIMIT_MS, type Imported } from "../../resource/lifeCycle";
import { type LimitedContext, withinLimit } from "../../resource/withinLimit";
import type { PublicationContext } from "../publication/context";
import type { CheckedBundle, OwnedContext } from "../publication/publicationKind";
import { preparedAdditions } from "../publication/siteAdditions";
import { describeSource, jobOfSource, sourceAttributes } from "../source/bundleSource";
import { inspect } from "../source/inspect";
import { NOTHING_FETCHED, obtain, type Obtained, type SourceContext } from "../source/obtain";
import { type ImportId, parseImportId } from "./importId";
import { BUNDLE_COPY_INPUTS, type CheckedCopyInputs } from "./inputs";
import { linkTo } from "./links";
import { withScratchFolder } from "./scratchFolder";
import { type BundleCopyState, copiedBundle, stateOf } from "./state";

/** Length of the version of an archive without a recorded version, in digits of the archive's digest. */
const VERSION_DIGITS = 12;

type ImportedCopy = Imported<CheckedCopyInputs, BundleCopyState>;

/**
 * Takes a copy under management. The copy is read and compared with its bundle: an archive is the bundle itself, the bundle of a
 * site is obtained from its source. No job is started, and nothing at the destination changes.
 *
 * @param id see `parseImportId`
 * @throws DocsHostingError
 */
export async function importCopy(given: PublicationContext, id: string): Promise<ImportedCopy> {
  const parsed = parseImportId(id);
  const { destination: place } = checkedByTable<Pick<CheckedCopyInputs, "destination">>(
    { destination: BUNDLE_COPY_INPUTS.destination },
    { destination: parsed.destination },
    given.configuration,
    `${id}: cannot be imported`,
  );
  const destination = destinationOf(place);
  try {
    const { signingKeyEnv } = parsed;
    const verifier = signingKeyEnv === undefined ? undefined : signerFrom(signingKeyEnv, given.configuration);
    const owner = newOwner(given.urn);
    const claimant: Claimant = { owner, isCreate: false, takeOver: false, isDeclared: () => true };
    return await withinLimit({ ...given, ...claimant }, DEFAULT_LIMIT_MS, (context) =>
      withScratchFolder(context, async (scratch) => {
        const found = await destination.find(parsed.name, scratch, verifier);
        expectSignature(context, parsed, found);
        const { inputs, state } = await adopt(context, parsed, found);
        // nothing is written: the first operation that writes takes the destination over from its owner
        const adopts = await destination.ownerNow?.(scratch);
        const bookkeeping = present({ ...state.bookkeeping, owner: owner.id, adopts });
        return { inputs, state: { ...state, bookkeeping } };
      }),
    );
  } catch (error) {
    throw explained(error, id, "Nothing was imported");
  }
}

/** Compares the signature of a copy with the one that the ID names. @throws BundleRefusedError */
function expectSignature(
  { reporter }: LimitedContext,
  { uri, signingKeyEnv }: ImportId,
  { copy, isSigned = false }: FoundCopy,
): void {
  if (signingKeyEnv !== undefined && copy.publicKey === undefined) {
    throw new BundleRefusedError(
      `the key in ${signingKeyEnv} signed no image, provenance and SBOM there`,
      isSigned
        ? "Another key signed the image: name that one. Without signingKeyEnv, the copy is imported without its signature."
        : "Leave signingKeyEnv out: the image is not signed.",
    );
  }
  if (signingKeyEnv === undefined && isSigned) {
    reporter.warn(
      `${uri} is signed, and its ID does not name the key: the next copy will not be signed. If this package signed the copy, ` +
        "import it with ?signingKeyEnv=NAME, the environment variable with the private key",
    );
  }
}

async function adopt(context: OwnedContext, parsed: ImportId, found: FoundCopy): Promise<ImportedCopy> {
  const { signingKeyEnv } = parsed;
  const program = {
    source: sourceOf(parsed, found),
    destination: { ...found.destination, ...parsed.destination },
    ...(signingKeyEnv !== undefined && { signingKeyEnv }),
  };
  const checked = (additions: Readonly<Record<string, unknown>>): CheckedCopyInputs =>
    checkedByTable<CheckedCopyInputs>(
      BUNDLE_COPY_INPUTS,
      { ...program, ...additions },
      context.configuration,
      "cannot be imported",
    );
  const wanted = checked(parsed.additions);
  context.tracer.note(sourceAttributes(wanted.source));
  const obtained = await bundleOf(context, wanted, found);
  try {
    const { bundle } = obtained;
    const inspection = await inspect(context, wanted, bundle);
    const possible = possibleAdditions(wanted, Object.keys(parsed.additions));
    const { additions, edition, facts } = await matching(
      context,
      { bundle, inspection },
      found,
      possible,
      wanted,
    );
    const inputs = checked({ ...additions });
    const copy = { ...found.copy, sha256: edition };
    const made = copiedBundle({ bundle, inspection }, context.clock.now(), facts);
    const state = stateOf(inputs, [{ copy, bundle: made }], await linkTo(context, inputs, copy));
    obtained.remove();
    const given = { ...program, ...additions };
    return { inputs: given as unknown as Partial<CheckedCopyInputs>, state };
  } catch (error) {
    obtained.release();
    throw error;
  }
}

/**
 * The source as a program writes it: what the ID gives, then what the copy records. An archive in a folder is a source itself.
 *
 * @throws InputError that names what is missing
 */
function sourceOf({ uri, source: given, destination }: ImportId, found: FoundCopy): Record<string, string> {
  const known: Readonly<Record<string, string | undefined>> = { ...found.source, ...given };
  const { file, domain, jobId, version, ...service } = known;
  if (file !== undefined && version !== undefined) return present({ file, version, domain });
  if (file === undefined && jobId !== undefined && domain !== undefined) {
    return present({ ...service, domain, jobId, version: version === jobId ? undefined : version });
  }
  if (file === undefined && jobId === undefined && found.archive !== undefined && "folder" in destination) {
    const digits = (found.sha256 ?? "").slice(0, VERSION_DIGITS);
    return present({ ...service, file: uri, domain, version: version ?? digits });
  }
  const needed = file === undefined ? ["domain", "jobId"] : ["version"];
  const missing = needed.filter((name) => known[name] === undefined);
  throw new InputError(
    `the copy does not record the ${missing.join(" and the ")} of its source`,
    `Add the source to the id: ${uri}?domain=docs.example.com&jobId=7f3a&version=v1, or ${uri}?file=bundle.tar.gz&version=v1. ` +
      "The version is the job's id if it is not given.",
  );
}

/** The bundle that the copy was made from. */
async function bundleOf(
  context: SourceContext,
  inputs: CheckedCopyInputs,
  { archive: path }: FoundCopy,
): Promise<Obtained> {
  if (path === undefined) return obtain(context, inputs);
  const { source, limits } = inputs;
  const { sha256, size } = await hashFile(path, { limitBytes: limits.archiveBytes }, context);
  const { version, domain } = source;
  const format = await archiveFormat(path);
  // the archive is the copy, or in the scratch folder
  return {
    bundle: { path, format, sha256, size, version, jobId: jobOfSource(source), domain },
    ...NOTHING_FETCHED,
  };
}

/** What may have been added to a copy: what the ID gives; of each other addition, nothing, or all with its defaults. */
function possibleAdditions(wanted: SiteAdditions, given: readonly string[]): readonly SiteAdditions[] {
  let possible = [additionsOf(wanted)];
  for (const name of GUESSED_ADDITIONS.filter((each) => !given.includes(each))) {
    possible = possible.flatMap((one) => [one, { ...one, [name]: true }]);
  }
  return possible;
}

/** Finds the additions with which the bundle gives the copy. @throws BundleRefusedError if none of them does */
async function matching(
  context: OwnedContext,
  { bundle, inspection }: CheckedBundle,
  { edition, sha256, files }: FoundCopy,
  possible: readonly SiteAdditions[],
  inputs: CheckedCopyInputs,
): Promise<{ additions: SiteAdditions; edition: string; facts: AdditionFacts }> {
  const { source, limits } = inputs;
  const { signal } = context;
  const from = `the bundle of ${describeSource(source)} has the SHA-256 ${bundle.sha256}`;
  if (sha256 !== undefined && sha256 !== bundle.sha256) {
    throw new BundleRefusedError(
      `${from}, but the copy was made from ${sha256}`,
      "Name the source that the copy was made from. A job that is packed again may give another archive: then name its file.",
    );
  }
  for (const additions of possible) {
    const found = await withScratchFolder(context, async ({ scratch }) => {
      const checked = { bundle, inspection };
      const wanted = await preparedAdditions(context, { ...inputs, ...additions }, checked, scratch);
      const own = editionOf(bundle.sha256, wanted);
      if (edition !== undefined && edition !== own) return undefined;
      if (files === undefined) return { additions, edition: own, facts: {} };
      const expected = new SiteDigests();
      const facts = await unpackSite(bundle, limits, expected, { ...inspection, signal }, wanted);
      return isSameSite(files, expected.digests()) ? { additions, edition: own, facts } : undefined;
    });
    if (found !== undefined) return found;
  }
  throw new BundleRefusedError(
    `${from}, and the copy ${files ? "has other content" : "is another archive"}`,
    "Name the source that the copy was made from. If it has a search or Markdown with options, or files of other hosts, add them: " +
      "?offlineSearch={…}&llmsTxt={…}&fetchExternal=true. One of another version of this package cannot be imported.",
  );
}

/**
 * Whether a copy has all files of a site with their content. Destinations add files that are made of these: a page under its clean
 * name, a compressed text.
 */
function isSameSite(files: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): boolean {
  const contents = new Set(expected.values());
  const isMade = (path: string, sha256: string): boolean =>
    contents.has(sha256) || (path.endsWith(".gz") && expected.has(path.slice(0, -".gz".length)));
  return (
    [...expected].every(([path, sha256]) => files.get(path) === sha256) &&
    // earlier versions of this package also published metadata and folders of version control
    [...files].every(
      ([path, sha256]) =>
        expected.has(path) || isMade(path, sha256) || unpublished(path, "file") !== undefined,
    )
  );
}
