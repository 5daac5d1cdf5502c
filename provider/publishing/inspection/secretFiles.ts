/** Names of files that hold a secret, whatever is in them. */
const NAMES =
  /(?:^|\/)(?:\.env(?:\.(?!(?:example|sample|template|dist|defaults)$)[^/]+)?|\.htpasswd|[._]netrc|\.pgpass|\.pypirc|\.git-credentials|\.s3cfg|\.aws\/credentials|\.cargo\/credentials(?:\.toml)?|\.kube\/config|\.docker\/config\.json|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|[^/]+\.(?:ppk|p12|pfx|jks|keystore|kdbx))$/;

/** Names of files that may hold one, and the content that is a secret: of a key file also behind certificates, of others at the start. */
const CONTENTS: readonly (readonly [name: RegExp, content: RegExp])[] = [
  [
    /\.(?:pem|key|pk8|asc|gpg|crt|cer|priv)$/,
    /^[ \t]*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/m,
  ],
  [/(?:^|\/)[^/.]+$|\.txt$/, /^\s*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/],
  // keys of service accounts
  [
    /(?:account|credential|key)[^/]*\.json$/i,
    /"private_key"\s*:\s*"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/,
  ],
  [/(?:^|\/)\.yarnrc\.yml$/, /^[^#\n]*npmAuth(?:Token|Ident)"?\s*:/m],
  [/(?:^|\/)\.npmrc$/, /^[^#;\n]*_(?:auth(?:Token)?|password)\s*=/m],
];

/** Size of a larger file in bytes: it is not a key. */
const LARGEST = 64 * 1_024;
/** How many are named. */
const MAX_FOUND = 100;

/** Finds files that usually hold secrets: nobody means to publish them, but nobody else can know that. */
export class SecretFiles {
  /** Their paths in the archive. */
  readonly found: string[] = [];

  /** Reads the content only if the name leaves it open. */
  async see(path: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    if (this.found.length >= MAX_FOUND) return;
    if (NAMES.test(path)) {
      this.found.push(path);
      return;
    }
    const secret = CONTENTS.find(([name]) => name.test(path))?.[1];
    if (secret === undefined || size > LARGEST) return;
    const bytes = Buffer.concat(await Array.fromAsync(content));
    if (secret.test(bytes.toString("latin1"))) this.found.push(path);
  }
}
