import type { HttpReply } from "../../../base/http/attempt";

/** Whether a reply says that it is a page for people, such as a login. */
export const isWebPage = ({ headers }: Pick<HttpReply, "headers">): boolean =>
  /^\s*text\/html\b/i.test(headers.get("content-type") ?? "");
