import { verify } from "node:crypto";
import { expect, test } from "vitest";
import { opened, sealed } from "../../../../../provider/publishing/images/signing/envelope.ts";
import { newSigner } from "../../../../simulation/signedImage.ts";

const signer = newSigner();
const STATEMENT = Buffer.from('{"predicateType":"https://example.com/ö"}');
const TYPE = "application/vnd.in-toto+json";

interface Envelope {
  payloadType: unknown;
  payload: unknown;
  signatures: unknown;
}

const read = (envelope: Buffer): Envelope => JSON.parse(envelope.toString()) as Envelope;
const changed = (change: Partial<Envelope>): Buffer =>
  Buffer.from(JSON.stringify({ ...read(sealed(STATEMENT, signer)), ...change }));

test("an envelope is that of the DSSE protocol: the signature covers the type and the statement, with their lengths in bytes", () => {
  const { payloadType, payload, signatures } = read(sealed(STATEMENT, signer));
  expect([payloadType, payload]).toEqual([TYPE, STATEMENT.toString("base64")]);
  expect(signatures).toEqual([{ keyid: "", sig: expect.any(String) as string }]);
  const [{ sig }] = signatures as [{ sig: string }];
  const bytes = Buffer.from(`DSSEv1 28 ${TYPE} 42 ${STATEMENT.toString()}`);
  expect(verify("sha256", bytes, signer.publicKey, Buffer.from(sig, "base64"))).toBe(true);
  expect(opened(sealed(STATEMENT, signer), signer)).toEqual(STATEMENT);
});

test("one signature by the key among others is enough", () => {
  const { signatures } = read(sealed(STATEMENT, signer)) as { signatures: unknown[] };
  const others = [
    null,
    {},
    { sig: 1 },
    { sig: "" },
    ...(read(sealed(STATEMENT, newSigner())).signatures as object[]),
  ];
  expect(opened(changed({ signatures: [...others, ...signatures] }), signer)).toEqual(STATEMENT);
  for (const other of others) expect(opened(changed({ signatures: [other] }), signer)).toBeUndefined();
});

test("an envelope of another type, with another statement, or without its parts has no statement", () => {
  const signs = { sign: (bytes: Buffer) => bytes, verify: () => true };
  const whole = read(sealed(STATEMENT, signs));
  const sealedWith = (change: Partial<Envelope>): Buffer =>
    Buffer.from(JSON.stringify({ ...whole, ...change }));
  expect(opened(sealedWith({}), signs)).toEqual(STATEMENT);
  // refused before a signature is looked at
  for (const change of [
    { payloadType: "text/plain" },
    { payload: undefined },
    { payload: 1 },
    { signatures: undefined },
    { signatures: {} },
    { signatures: [] },
  ]) {
    expect(opened(sealedWith(change), signs)).toBeUndefined();
  }
  expect(opened(changed({ payload: Buffer.from("{}").toString("base64") }), signer)).toBeUndefined();
  for (const text of ["", "null", "[]", "{"]) expect(opened(Buffer.from(text), signs)).toBeUndefined();
});
