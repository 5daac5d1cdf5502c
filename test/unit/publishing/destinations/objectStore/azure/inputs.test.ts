import { expect, test } from "vitest";
import {
  checkDestination,
  destinationKey,
} from "../../../../../../provider/publishing/destinations/inputs.ts";
import {
  type AzureContainerInputs,
  blobAddress,
  containerIn,
  containerUri,
} from "../../../../../../provider/publishing/destinations/objectStore/azure/inputs.ts";

const PLACE = { azureContainer: "site", storageAccount: "docs" };
const CHINA = "https://docs.blob.core.chinacloudapi.cn";
const EMULATOR = "http://127.0.0.1:10000/docs";

test.each<[Partial<Record<keyof AzureContainerInputs, unknown>>, string]>([
  [{ azureContainer: "Site" }, "azureContainer must consist of a-z, 0-9 and single «-»"],
  [{ azureContainer: "a--b" }, "azureContainer must consist of a-z, 0-9 and single «-»"],
  [{ azureContainer: "$root" }, "azureContainer must consist of a-z, 0-9 and single «-»"],
  [{ azureContainer: "ab" }, "azureContainer must have 3 to 63 characters"],
  [{ azureContainer: "site/v1" }, "azureContainer must be the container's name alone: what follows"],
  [
    { azureContainer: `${CHINA}/site` },
    "azureContainer must be the container's name alone, without an address",
  ],
  [{ azureContainer: 7 }, "azureContainer must be a string"],
  [{ storageAccount: "docs.blob.core.windows.net" }, "storageAccount must be the account's name alone"],
  [{ storageAccount: "Docs" }, "storageAccount must have 3 to 24 characters of a-z and 0-9"],
  [{ storageAccount: 7 }, "storageAccount must be a string"],
  [{ endpoint: "docs.blob.core.windows.net" }, "endpoint must be an http(s) URL such as https://docs.blob."],
  [{ endpoint: `${CHINA}/site` }, "endpoint must not contain the container"],
  [
    { endpoint: "https://other.blob.core.windows.net" },
    "endpoint must be the address of the blob service of docs",
  ],
  [{ endpoint: "https://files.example.com" }, "endpoint must be the address of the blob service of docs"],
  [
    { endpoint: `${CHINA}?sig=secret` },
    "endpoint must not have a query or fragment: credentials come from the environment",
  ],
  [
    { websiteEndpoint: "https://docs.z6.web.core.windows.net" },
    "websiteEndpoint is for the container «$web» only",
  ],
  [{ linkLife: "169h" }, "linkLife must be from «1s» to «168h»"],
  [{ linkLife: "1h", layout: "site" }, "linkLife is for the layout «archive» only"],
])("%j is refused", (fields, message) => {
  const { at = "", problem = "" } = checkDestination({ ...PLACE, ...fields }) as {
    at?: string;
    problem?: string;
  };
  expect(`${at} ${problem}`).toContain(message);
  expect(problem).not.toContain("secret");
});

test.each([
  {},
  { azureContainer: "$web", websiteEndpoint: "https://docs.z6.web.core.windows.net/" },
  { endpoint: CHINA },
  { endpoint: "https://docs.z11.blob.storage.azure.net/" },
  { endpoint: "https://docs.privatelink.blob.core.windows.net" },
  { endpoint: EMULATOR },
])("%j is accepted", (fields) => {
  expect(checkDestination({ ...PLACE, ...fields })).toHaveProperty("value");
});

test("spellings of an endpoint are one destination", () => {
  const [one, other] = [CHINA, "HTTPS://DOCS.blob.core.chinacloudapi.cn:443/"].map((endpoint) =>
    destinationKey({ ...PLACE, endpoint }),
  );
  expect(one).toEqual(other);
});

test.each([
  [PLACE, "https://docs.blob.core.windows.net/site"],
  [{ ...PLACE, azureContainer: "$web" }, "https://docs.blob.core.windows.net/$web"],
  [{ ...PLACE, endpoint: CHINA }, `${CHINA}/site`],
  [{ ...PLACE, endpoint: EMULATOR }, `${EMULATOR}/site`],
])("the address of a copy in %j names the place, also for an import", (place, uri) => {
  expect(containerUri(place)).toBe(uri);
  expect(containerIn(`${uri}/v/x.zip`)).toEqual({ begin: `${uri}/`, fields: place });
});

test("a page of the website is found at its address, one of another container at the blob's", () => {
  const web = { ...PLACE, azureContainer: "$web", websiteEndpoint: "https://docs.z6.web.core.windows.net/" };
  expect(blobAddress(web, "v/ä b.html")).toBe("https://docs.z6.web.core.windows.net/v/%C3%A4%20b.html");
  expect(blobAddress(PLACE, "v/")).toBe("https://docs.blob.core.windows.net/site/v/");
});
