import { generateKeyPairSync, type JsonWebKey, sign } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "vitest";
import { scratchFolder } from "./images.ts";

/** Issues tokens that distribution accepts, see https://distribution.github.io/distribution/spec/auth/jwt/ */
export interface TokenServer {
  /** The settings of a registry for it. */
  readonly settings: Readonly<Record<string, string>>;
  /** The requests, in order. */
  readonly asked: { method: string; query: URLSearchParams; authorization: string | undefined }[];
}

/**
 * Until the test ends.
 *
 * @param accepts the users who get a token for the requested scope; all others get 401
 */
export async function startTokenServer(
  context: Pick<TestContext, "onTestFinished">,
  accepts: (asked: TokenServer["asked"][number]) => boolean,
): Promise<TokenServer> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwks = join(await scratchFolder(context), "jwks.json");
  const key: JsonWebKey = {
    ...publicKey.export({ format: "jwk" }),
    kid: "of-the-tests",
    use: "sig",
    alg: "ES256",
  };
  await writeFile(jwks, JSON.stringify({ keys: [key] }));
  const asked: TokenServer["asked"] = [];
  const tokenFor = (scopes: readonly string[]): string => {
    const now = Math.floor(Date.now() / 1_000);
    const parts = [
      { typ: "JWT", alg: "ES256", kid: "of-the-tests" },
      {
        iss: "tests",
        aud: "registry",
        sub: "me",
        jti: "1",
        iat: now,
        nbf: now - 10,
        exp: now + 300,
        access: scopes.map((scope) => {
          const [type, name, actions = ""] = scope.split(":");
          return { type, name, actions: actions.split(",") };
        }),
      },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    const signed = parts.join(".");
    const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { searchParams } = new URL(request.url ?? "", "http://tokens");
      const query = request.method === "POST" ? new URLSearchParams(body) : searchParams;
      const one = { method: request.method ?? "", query, authorization: request.headers.authorization };
      asked.push(one);
      if (!accepts(one)) {
        return void response.writeHead(401).end('{"details":"incorrect username or password"}');
      }
      const scopes = query.getAll("scope").flatMap((scope) => scope.split(" "));
      response.end(JSON.stringify({ access_token: tokenFor(scopes), expires_in: 300 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    settings: {
      AUTH: "token",
      AUTH_TOKEN_REALM: `http://127.0.0.1:${port}/token`,
      AUTH_TOKEN_SERVICE: "registry",
      AUTH_TOKEN_ISSUER: "tests",
      AUTH_TOKEN_JWKS: jwks,
    },
  };
}
