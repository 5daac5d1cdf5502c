import { fieldsOf } from "../registry/content";
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
  const { payloadType, payload, signatures } = fieldsOf(envelope);
  if (payloadType !== STATEMENT_TYPE || typeof payload !== "string" || !Array.isArray(signatures)) {
    return undefined;
  }
  const statement = Buffer.from(payload, "base64");
  const isSigned = (signatures as unknown[]).some((each) => {
    const { sig } = fieldsOf(each);
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

/** Whether a statement is about an image. @param digest of the image */
export function isAbout(statement: Buffer, digest: string): boolean {
  const { subject } = fieldsOf(statement);
  return (Array.isArray(subject) ? (subject as unknown[]) : []).some((each) => {
    const { sha256 } = fieldsOf(fieldsOf(each)["digest"]);
    return `sha256:${String(sha256)}` === digest;
  });
}
