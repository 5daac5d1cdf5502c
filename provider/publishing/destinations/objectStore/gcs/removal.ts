import { randomUUID } from "node:crypto";
import { batchRemoval, type RemoveObjects } from "../batchRemoval";
import type { ObjectStore } from "../objectStore";
import { unlessFailed } from "../storeError";
import type { GcsClient } from "./client";
import { textField } from "./replyText";

/** Removes objects of a bucket, see https://cloud.google.com/storage/docs/batch */
export function gcsRemoval(client: GcsClient, head: ObjectStore["head"]): RemoveObjects {
  const action = "storage.objects.delete";
  return batchRemoval({
    longest: 100,
    async many(keys) {
      const boundary = randomUUID();
      const parts = keys.map(
        (key, at) =>
          `--${boundary}\r\ncontent-type: application/http\r\ncontent-id: <${at}>\r\n\r\n` +
          `DELETE ${client.object(key).pathname} HTTP/1.1\r\n\r\n\r\n`,
      );
      const body = Buffer.from(`${parts.join("")}--${boundary}--\r\n`);
      const headers = {
        "content-type": `multipart/mixed; boundary=${boundary}`,
        "content-length": String(body.length),
      };
      const url = new URL(`${client.endpoint}/batch/storage/v1`);
      const replies = await client.send(
        { action, isOfBucket: true, method: "POST", url, headers, body: () => body },
        textField,
      );
      const gone = new Set<number>();
      for (const reply of replies.split(/^content-id: *<response-/im).slice(1)) {
        const [, at, status = ""] = /^(\d+)>.*?^HTTP\/[\d.]+ (\d+)/ims.exec(reply) ?? [];
        // a missing bucket has the same reason
        const isMissing =
          status === "404" && /"reason": *"notFound"/.test(reply) && !/bucket does not exist/i.test(reply);
        if (status === "204" || isMissing) gone.add(Number(at));
      }
      return keys.filter((_, at) => !gone.has(at));
    },
    async one(key) {
      const url = client.object(key);
      const request = { action, key, method: "DELETE", url } as const;
      const removal = client.send(request, async (reply) => {
        await reply.beginning(0);
        return reply.status;
      });
      const status = await unlessFailed(removal, "missing");
      // a login page answers with 200, and Google with 204
      const isUnsure = status !== undefined && status !== 204;
      if (isUnsure && (await head(key)) !== undefined) throw client.notAnswered(request);
    },
  });
}
