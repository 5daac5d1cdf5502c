// Encryption with a passphrase: scrypt for the key, AES-256-GCM for the values.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";

export interface SecretBoxHeader {
  salt: string;
  /** A known text, encrypted: shows whether a passphrase is the right one. */
  verifier: string;
}

export interface SecretBox {
  header: SecretBoxHeader;
  encrypt(plaintext: string): string;
  decrypt(ciphertext: string): string;
}

const knownText = "pulumi";
const nonceBytes = 12;
const tagBytes = 16;
/** 2 ms instead of the 40 of Node's default for each read of a state: it protects only secrets of tests. */
const cheap = { N: 1024 };

/** @throws «incorrect passphrase», as the real CLI */
export function openSecretBox(passphrase: string, header?: SecretBoxHeader): SecretBox {
  const salt = header ? Buffer.from(header.salt, "base64") : randomBytes(16);
  const key = scryptSync(passphrase, salt, 32, cheap);

  const encrypt = (plaintext: string) => {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const body = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64");
  };
  const decrypt = (ciphertext: string) => {
    const bytes = Buffer.from(ciphertext, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const body = bytes.subarray(nonceBytes, -tagBytes);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  };

  if (!header) {
    return { header: { salt: salt.toString("base64"), verifier: encrypt(knownText) }, encrypt, decrypt };
  }
  try {
    decrypt(header.verifier);
  } catch (cause) {
    throw new Error("incorrect passphrase", { cause });
  }
  return { header, encrypt, decrypt };
}
