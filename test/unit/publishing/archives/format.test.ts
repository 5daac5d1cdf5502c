import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { BundleRefusedError } from "../../../../provider/base/runtime/messages/errors.ts";
import { archiveFormat } from "../../../../provider/publishing/archives/format.ts";
import { SITE, tar, tarGz } from "../../../chart/tarArchive.ts";
import { zip } from "../../../chart/zipArchive.ts";
import { bundleOnDisk, LIMITS, refusalOf } from "./bundleOnDisk.ts";

describe("the format of a bundle", () => {
  const formatOf = (bytes: Buffer | string): Promise<string> =>
    archiveFormat(bundleOnDisk(Buffer.from(bytes), "tar.gz").path);

  test("is recognized by its first bytes", async () => {
    expect(await formatOf(tarGz(SITE))).toBe("tar.gz");
    expect(await formatOf(zip([{ name: "index.html" }]))).toBe("zip");
  });

  test.each<[string, Buffer | string, string]>([
    ["nothing", "", "it is empty"],
    ["a page", "\n<!DOCTYPE html><title>Sign in</title>", "it is a web page"],
    [
      "an error of a store",
      '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
      "it is an XML text",
    ],
    ["an error of a service", '{"error":"expired"}', "it is a JSON text"],
    ["a tar", tar(SITE), "it is a tar without compression"],
    ["an xz", Buffer.from("fd377a585a000004", "hex"), "it is compressed with xz"],
    ["a page without a type", "<body>Sign in</body>", "it is a web page"],
    ["an error of a store in short", "\n <Error><Code>AccessDenied</Code></Error>", "it is an XML text"],
    ["an indented XML", '\n<?xml version="1.0"?>', "it is an XML text"],
    ["a part of a zip", "PK\u0007\u0008", "it is one part of a split zip"],
    ["a bzip2", "BZh91AY&SY", "it is compressed with bzip2"],
    ["a 7z", Buffer.from("377abcaf271c", "hex"), "it is a 7z archive"],
    ["a RAR", "Rar!\u001a", "it is a RAR archive"],
    ["a zstd", Buffer.from("28b52ffd", "hex"), "it is compressed with zstd"],
    ["anything", "\u001b[31m\u202e", "begins with the bytes 1b5b33316de280ae"],
    ["a gzip that no program writes", Buffer.from("1f8b07", "hex"), "begins with the bytes 1f8b07"],
  ])("is refused where it is %s", async (_what, bytes, reason) => {
    await expect(formatOf(bytes)).rejects.toThrow(BundleRefusedError);
    await expect(formatOf(bytes)).rejects.toThrow(reason);
  });

  test.each([
    ...["<html>", '<?xml version="1.0"?>', "<Error>", "PK\u0007\u0008", "BZh9", "Rar!"],
    ...["7z\xbc\xaf", "\x28\xb5\x2f\xfd", "\xfd7zXZ"],
  ])("is not recognized by %j after other bytes", async (begin) => {
    await expect(formatOf(Buffer.from(`x${begin}`, "latin1"))).rejects.toThrow(
      "is neither a tar.gz nor a zip: it begins with the bytes 78",
    );
  });

  test("is an error where the content has another one", async () => {
    expect(await refusalOf(bundleOnDisk(tarGz(SITE), "zip"), LIMITS)).toContain(
      "its directory cannot be read",
    );
    expect(await refusalOf(gzipSync("<!doctype html>"), LIMITS)).toContain("it ends too early");
    expect(await refusalOf(gzipSync(""), LIMITS)).toContain("it ends too early");
  });
});
