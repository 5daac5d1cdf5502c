// What Google's store refuses, and what is done then: said, waited for, or ended.
import { describe, expect, test } from "vitest";
import { authFailure } from "../../../../../../provider/publishing/destinations/objectStore/gcs/failure.ts";
import {
  loadGcsSdk,
  verifyGcsSdk,
} from "../../../../../../provider/publishing/destinations/objectStore/gcs/sdk.ts";
import { type Answer, HEADERS, open, PLACE, refusal, send } from "./scriptedGcs.ts";

describe("a refusal says what to do", () => {
  const rows: [Answer, RegExp][] = [
    [
      refusal(404, "notFound", "The specified bucket does not exist."),
      /^noBucket: there is no bucket docs\. Make it/,
    ],
    [
      refusal(403, "forbidden", "sa@x does not have storage.objects.delete access to the object."),
      /^denied: storage\.objects\.delete on gs:\/\/docs\/v\/a is not allowed: sa@x .*roles\/storage\.objectUser/,
    ],
    [
      refusal(403, "accountDisabled", "The billing account for the owning project is disabled."),
      /^other: .* billing account .*Enable billing/,
    ],
    [
      refusal(403, "retentionPolicyNotMet", "Object is subject to bucket's retention policy."),
      /^other: .*a retention policy holds it/,
    ],
    [refusal(403, "objectUnderActiveHold", "Object is under active Event-Based hold"), /under a hold/],
    [refusal(412, "conditionNotMet", "At least one of the pre-conditions failed."), /^conflict: /],
    [refusal(401, "required", "Anonymous caller"), /^credentials: .*an endpoint with http: gets none/],
    [
      refusal(403, "accessNotConfigured", "Cloud Storage JSON API has not been used in project 1"),
      /gcloud services enable/,
    ],
    [
      refusal(403, "vpcServiceControls", "Request is prohibited by organization's policy."),
      /perimeter forbids it/,
    ],
    [
      refusal(400, "required", "Bucket is a requester pays bucket but no user project provided."),
      /GOOGLE_CLOUD_QUOTA_PROJECT/,
    ],
    [
      refusal(
        403,
        "forbidden",
        "Permission denied on Cloud KMS key. cloudkms.cryptoKeyVersions.useToEncrypt",
      ),
      /Encrypter\/Decrypter/,
    ],
    [
      refusal(412, "conditionNotMet", "public access prevention is enforced"),
      /^other: .*Copies need no public access/,
    ],
    [
      refusal(400, "invalid", 'Provided MD5 hash "x" doesn\'t match calculated MD5 hash "y".'),
      /^corrupted: the data that arrived at gs:\/\/docs\/v\/a differs/,
    ],
    [refusal(429, "rateLimitExceeded", "slow"), /^busy: .*too busy \(rateLimitExceeded\)/],
    [refusal(403, "userRateLimitExceeded", "slow"), /^busy: /],
    [refusal(503, "backendError", "We encountered an internal error."), /^busy: /],
    [{ status: 418, json: "tea" }, /^other: .*failed with status 418 \(418\): "tea"/],
    [{ isCut: true }, /^unreachable: the store could not be reached for gs:\/\/docs\/v\/a: /],
  ];

  test.for(rows)("%j", async ([answer, expected], context) => {
    const { store, requests } = await open(context, () => answer);
    const error = await send(store, Buffer.from("a")).catch((reason: unknown) => reason);
    const { failure, message, remedy } = error as { failure: string; message: string; remedy: string };
    expect(`${failure}: ${message}. ${remedy}`).toMatch(expected);
    const isTemporary = answer.isCut === true || failure === "busy";
    expect(requests).toHaveLength(isTemporary ? 8 : 1);
  });

  test.for([
    [
      { message: "Could not load the default credentials." },
      /^credentials: no credentials for the bucket docs/,
    ],
    [
      { message: "invalid_grant", response: { status: 400, data: { error: "invalid_grant" } } },
      /^credentials: .*expired or were revoked/,
    ],
    [
      {
        message:
          "invalid_grant: Invalid JWT: Token must be a short-lived token, check your iat and exp values",
      },
      /^clock: /,
    ],
    [{ message: "Cannot sign data without `client_email`" }, /^credentials: .*only a service account signs/],
    [
      { message: "Permission 'iam.serviceAccounts.signBlob' denied", response: { status: 403 } },
      /^denied: .*roles\/iam\.serviceAccountTokenCreator/,
    ],
    [
      { message: "getaddrinfo ENOTFOUND oauth2.googleapis.com", code: "ENOTFOUND" },
      /^unreachable: Google's login .*ENOTFOUND/,
    ],
  ] as const)("without usable credentials: %j", ([error, expected]) => {
    const { failure, message, remedy } = authFailure(error, PLACE);
    expect(`${failure}: ${message}. ${remedy}`).toMatch(expected);
  });

  test("a missing library is named with its command", async () => {
    const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    await expect(loadGcsSdk(() => Promise.reject(missing))).rejects.toMatchObject({
      remedy: "Run `npm install @google-cloud/storage` in the project's folder.",
    });
    expect(() => verifyGcsSdk()).not.toThrow();
  });
});

test("throttling for less than half a minute delays a request, as long as Retry-After says", async (context) => {
  let count = 0;
  const slow = { ...refusal(429, "rateLimitExceeded", "slow"), headers: { "retry-after": "1" } };
  const { store } = await open(context, () =>
    count++ < 3 ? slow : { json: { generation: "7", size: "3" } },
  );
  expect(await store.head("v/a")).toMatchObject({ revision: "7", size: 3 });
});

test("every method ends at once when the operation is stopped, also while the store is silent", async (context) => {
  const stop = new AbortController();
  const { store } = await open(context, () => new Promise(() => undefined) as unknown as Answer, stop.signal);
  const object = { key: "a", size: 1, sha256: "", headers: HEADERS };
  const all = [
    store.head("a"),
    store.list("", () => undefined),
    store.read("a", () => Promise.resolve()),
    store.send(object, Buffer.from("a")),
    store.remove(["a"]),
  ];
  const ends = Promise.allSettled(all);
  const reason = new Error("stopped");
  stop.abort(reason);
  for (const end of await ends) expect(end).toMatchObject({ status: "rejected", reason });
});
