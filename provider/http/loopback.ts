/** Whether a URL's host is this machine, see RFC 6761 §6.3 and RFC 1122 §3.2.1.3. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}
