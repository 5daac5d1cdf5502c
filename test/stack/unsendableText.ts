// Preloaded into the processes of a stack (NODE_OPTIONS): a text with the word «unsendable» cannot be sent over gRPC.
const encode = globalThis.encodeURI;
globalThis.encodeURI = (text) => {
  if (text.includes("unsendable")) throw new URIError("URI malformed");
  return encode(text);
};
