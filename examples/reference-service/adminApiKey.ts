import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { Refusal } from "./refusal.ts";

export const KEY_PREFIX = "svc_";

const BEARER = /^Bearer +(\S+) *$/i;

/** Requires the current admin API key for the routes of `app`. */
export function requireAdminApiKey(app: FastifyInstance, adminApiKey: () => string): void {
  app.addHook("onRequest", (request, reply, done) => {
    const header = request.headers.authorization;
    const key = BEARER.exec(header ?? "")?.[1];
    // digests have one length, so that the comparison takes equally long for any key
    if (key !== undefined && timingSafeEqual(digest(key), digest(adminApiKey()))) {
      done();
      return;
    }
    void reply.header("www-authenticate", "Bearer");
    const what = header === undefined ? "missing" : key === undefined ? "not a bearer token" : "not valid";
    done(new Refusal(401, `the admin API key is ${what}`));
  });
}

/** @throws when the text cannot be a key */
export function checkAdminApiKey(adminApiKey: string): string {
  if (!adminApiKey.startsWith(KEY_PREFIX)) throw new Error(`adminApiKey must begin with ${KEY_PREFIX}`);
  return adminApiKey;
}

function digest(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}
