import { fieldAt, fieldsOf, listIn } from "../registry/content";
import type { Signer } from "./signer";
import type { Verifier } from "./verifier";

/** The media type of an envelope, see https://github.com/secure-systems-lab/dsse. */
export const ENVELOPE_TYPE = "application/vnd.dsse.envelope.v1+json";
/** The type of the payload: an in-toto statement. */
export const STATEMENT_TYPE = "application/vnd.in-toto+json";

/** Signs a statement. The signature covers its type and its bytes. */
export function sealed(statement: Buffer, signer: Pick<Signer, "sign">): Buffer {
  const envelope = {
    payloadType: STATEMENT_TYPE,
    payload: statement.toString("base64"),
    signatures: [{ keyid: "", sig: signer.sign(signedBytes(statement)).toString("base64") }],
  };
  return Buffer.from(JSON.stringify(envelope));
}

/**
 * The statement in an envelope.
 *
 * @param envelope its JSON, or the object in it
 * @returns undefined unless the key signed it
 */
export function opened(envelope: unknown, verifier: Pick<Verifier, "verify">): Buffer | undefined {
  const { payloadType, payload } = fieldsOf(envelope);
  if (payloadType !== STATEMENT_TYPE || typeof payload !== "string") return undefined;
  const statement = Buffer.from(payload, "base64");
  const isSigned = listIn(envelope, "signatures").some((each) => {
    const sig = fieldAt(each, "sig");
    return typeof sig === "string" && verifier.verify(signedBytes(statement), Buffer.from(sig, "base64"));
  });
  return isSigned ? statement : undefined;
}

/** «PAE» of the DSSE protocol. */
function signedBytes(statement: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${STATEMENT_TYPE.length} ${STATEMENT_TYPE} ${statement.length} `),
    statement,
  ]);
}

/** The type of the statement about an image in an envelope; undefined unless the key signed it. @param digest of the image */
export function signedType(envelope: unknown, digest: string, verifier: Pick<Verifier, "verify">): unknown {
  const statement = opened(envelope, verifier);
  const isAbout = listIn(statement, "subject").some(
    (each) => `sha256:${String(fieldAt(each, "digest", "sha256"))}` === digest,
  );
  return isAbout ? fieldAt(statement, "predicateType") : undefined;
}
