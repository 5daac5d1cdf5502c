/** Where requests go, and with which key. */
export interface Origin {
  /** Absolute URL without a trailing slash; the paths of endpoints are appended. */
  readonly baseUrl: string;
  /** Reads the key at the moment of a request: it is kept nowhere. @throws ConfigurationError */
  readonly apiKey: () => string;
  /** The place the key comes from, for messages. */
  readonly apiKeyName: string;
  /** The proxy on the way there. Its URL may hold a password: only its host is ever shown. */
  readonly proxy?: URL;
}
