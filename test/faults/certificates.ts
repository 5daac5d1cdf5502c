import tls from "node:tls";
import { generate } from "selfsigned";
import { onTestFinished, vi } from "vitest";

/** The identity of a TLS server. */
export interface Identity {
  key: string;
  cert: string;
}

/** The name in the certificates, besides 127.0.0.1. It is in no DNS. */
export const SERVICE_HOST = "api.docs-host.test";
/** An address in the certificates that is never in use, see RFC 3849. */
export const SERVICE_IPV6 = "2001:db8::7";

const DAY_MS = 86_400_000;
const subject = (value: string): { name: string; value: string }[] => [{ name: "commonName", value }];
const authority = generate(subject("Authority of the tests"), {
  keyType: "ec",
  algorithm: "sha256",
  extensions: [
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", keyCertSign: true, critical: true },
  ],
});

/**
 * @param signed by the authority of the tests, else by itself
 * @param days until it ends
 */
export async function identity({ signed = true, days = 1, host = "" } = {}): Promise<Identity> {
  const { private: caKey, cert: ca } = await authority;
  const { private: key, cert } = await generate(subject(host || SERVICE_HOST), {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 10 * DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS),
    extensions: [
      {
        name: "subjectAltName",
        altNames: host
          ? [{ type: 2, value: host }]
          : [
              { type: 2, value: SERVICE_HOST },
              { type: 7, ip: "127.0.0.1" },
              { type: 7, ip: SERVICE_IPV6 },
            ],
      },
    ],
    ...(signed && { ca: { key: caKey, cert: ca } }),
  });
  return { key, cert };
}

/** The certificate of the authority of the tests. */
export async function authorityCertificate(): Promise<string> {
  return (await authority).cert;
}

/** Until the test ends, this process trusts the authority as if NODE_EXTRA_CA_CERTS named it. */
export async function trustAuthority(): Promise<void> {
  const before = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...before, await authorityCertificate()]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
}

/** Node.js's switch to disable checks of certificates. */
export async function ignoringCertificates(work: () => Promise<void>): Promise<void> {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  vi.spyOn(process, "emitWarning").mockImplementation(() => undefined); // Node.js's own warning about that variable
  try {
    await work();
  } finally {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}
