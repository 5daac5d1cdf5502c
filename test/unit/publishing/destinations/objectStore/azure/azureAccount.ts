export const PLACE = { azureContainer: "site", storageAccount: "docs" };

export const KEY = Buffer.from("c4n4ry-key-of-an-account").toString("base64");
