import { join } from "node:path";
import { runCommand } from "../../programs/commands.ts";

/** Longer than any run. */
const DAYS = "2";

/** Names and addresses under which the API server is reached. */
const SUBJECT_ALTERNATIVE_NAMES = [
  "IP:127.0.0.1",
  "IP:10.96.0.1",
  "IP:10.99.0.1",
  "DNS:localhost",
  "DNS:kubernetes.default.svc",
].join(",");

/** Makes `ca`, `apiserver` and `admin` (`.crt` and `.key`) and the key for service accounts, `sa.key`. */
export async function makeCertificates(folder: string): Promise<void> {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => runCommand("openssl", args);
  await openssl(
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", DAYS, "-subj", "/CN=test-ca"],
    ...["-keyout", file("ca.key"), "-out", file("ca.crt")],
  );
  await openssl("genrsa", "-out", file("sa.key"), "2048");
  const subjects = { apiserver: "/CN=kube-apiserver", admin: "/O=system:masters/CN=admin" };
  for (const [name, subject] of Object.entries(subjects)) {
    await openssl(
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", DAYS, "-subj", subject],
      ...["-CA", file("ca.crt"), "-CAkey", file("ca.key"), "-addext", "basicConstraints=critical,CA:FALSE"],
      ...["-addext", `subjectAltName=${SUBJECT_ALTERNATIVE_NAMES}`],
      ...["-keyout", file(`${name}.key`), "-out", file(`${name}.crt`)],
    );
  }
}

/** A kubeconfig for the administrator. */
export function kubeconfig(folder: string): string {
  return `apiVersion: v1
kind: Config
clusters:
  - name: node
    cluster: { server: "https://127.0.0.1:6443", certificate-authority: ${folder}/ca.crt }
users:
  - name: admin
    user: { client-certificate: ${folder}/admin.crt, client-key: ${folder}/admin.key }
contexts:
  - name: node
    context: { cluster: node, user: admin }
current-context: node
`;
}
