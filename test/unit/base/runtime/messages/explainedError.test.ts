import { expect, test } from "vitest";
import {
  ConnectionError,
  InternalError,
  NotFoundError,
  ResponseError,
  RunCancelledError,
} from "../../../../../provider/base/runtime/messages/errors.ts";
import { explained } from "../../../../../provider/base/runtime/messages/explainedError.ts";

test("an error says what happened, to what, whether anything is lost, and what to do, each as a sentence", () => {
  const error = new ConnectionError("the host was not found", "Check the base URL");
  expect(explained(error, "docs.example.com", "Nothing is lost").message).toBe(
    "docs.example.com: the host was not found. Nothing is lost. Check the base URL.",
  );
});

test("a text that ends as a sentence gets no second full stop, and a missing one leaves no gap", () => {
  for (const end of [".", "!", "?", "…", "`"]) {
    expect(explained(new ConnectionError(`lost${end}`, ""), "docs", "").message).toBe(`docs: lost${end}`);
  }
  expect(explained(new ConnectionError("a. b", "c."), "docs", "").message).toBe("docs: a. b. c.");
});

test("an end that the user caused says so", () => {
  expect(explained(new RunCancelledError("the run was cancelled", ""), "docs", "").message).toBe(
    "docs: stopped: the run was cancelled.",
  );
});

test("an unexpected error is named, without secrets, with a request to report it", () => {
  const error = new TypeError("no svc_c4n4ry here");
  expect(explained(error, "docs", "Nothing is lost").message).toBe(
    "docs: internal error (TypeError: no [removed] here). Nothing is lost. Please report it.",
  );
  expect(explained("a text with svc_c4n4ry", "docs", "").message).toMatch(
    /^docs: internal error \(string\)\.\s+Please report it\.$/,
  );
});

test("an error keeps its class, its status and its request, and has the original one as its cause", () => {
  const cause = new NotFoundError("gone", "Look again.", { status: 404, requestId: "r-1" });
  const error = explained(cause, "docs", "");
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toBeInstanceOf(ResponseError);
  expect(error).toMatchObject({
    name: "NotFoundError",
    status: 404,
    requestId: "r-1",
    remedy: "Look again.",
  });
  expect(error.cause).toBe(cause);
});

test("an unexpected error has its own class, and no cause: its texts are unknown", () => {
  const error = explained(new TypeError("svc_c4n4ry"), "docs", "");
  expect(error).toBeInstanceOf(InternalError);
  expect(error).toMatchObject({ remedy: "Please report it." });
  expect(error).not.toHaveProperty("cause");
});
