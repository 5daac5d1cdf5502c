// Whether a list of tags is whole: without that, nobody knows who else has an image.
import { expect, test } from "vitest";
import { listTags } from "../../../../../provider/publishing/images/registry/tags.ts";
import { type Reply, scriptedRegistry } from "./scriptedRegistry.ts";

const LIST = "GET tags/list?n=1000";
const listed = (...pages: readonly Reply[]): Promise<string[] | undefined> =>
  listTags(scriptedRegistry((_, number) => pages[number - 1] ?? { error: "ECONNREFUSED" }).client);
const linkTo = (query: string): Record<string, string> => ({
  link: `</v2/docs/site/tags/list?${query}>; rel="next"`,
});

test("a list of several pages has the tags of all", async () => {
  expect(
    await listed({ headers: linkTo("n=1000&last=a"), body: { tags: ["a"] } }, { body: { tags: ["b"] } }),
  ).toEqual(["a", "b"]);
});

test("a list whose next page is the same page again is no whole list", async () => {
  const { client, lines } = scriptedRegistry(() => ({ headers: linkTo("n=1000"), body: { tags: ["a"] } }));
  expect(await listTags(client)).toBeUndefined();
  expect(lines()).toEqual([LIST]);
});

test.each(["", "<html>Sign in</html>", '{"tags":["a"', '{"tags":"a"}', '{"tags":["a",1]}', "{}", "[]"])(
  "a page that is none is no whole list, as the first and as the second: %s",
  async (body) => {
    expect(await listed({ body })).toBeUndefined();
    expect(
      await listed({ headers: linkTo("n=1000&last=a"), body: { tags: ["a"] } }, { body }),
    ).toBeUndefined();
  },
);

test("a repository that is unknown has no tags; one that is unknown after the first page has no whole list", async () => {
  const unknown: Reply = { status: 404, body: { errors: [{ code: "NAME_UNKNOWN" }] } };
  expect(await listed(unknown)).toEqual([]);
  expect(await listed({ headers: linkTo("n=1000&last=a"), body: { tags: ["a"] } }, unknown)).toBeUndefined();
});

test.each([{ tags: [] }, { tags: null }])("a repository without tags has an empty list: %j", async (body) => {
  expect(await listed({ body })).toEqual([]);
});

test("a list that does not end is an error", async () => {
  const { client } = scriptedRegistry((_, number) => ({
    headers: linkTo(`n=1000&last=${number}`),
    body: { tags: ["a"] },
  }));
  await expect(listTags(client)).rejects.toThrow("does not end after 200 pages");
});
