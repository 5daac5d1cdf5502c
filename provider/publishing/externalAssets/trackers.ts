import { AddressPattern } from "./options";

/**
 * Patterns of scripts and pixels that count readers. They are never fetched: a copy of them still reports to their host. The list is in
 * docs/reference/fetch-external.md, and a test compares the two.
 */
export const TRACKERS: readonly string[] = [
  "www.googletagmanager.com",
  "*.google-analytics.com",
  "google-analytics.com",
  "analytics.google.com",
  "*.doubleclick.net",
  "pagead2.googlesyndication.com",
  "connect.facebook.net",
  "www.facebook.com/tr",
  "www.facebook.com/tr/**",
  "static.hotjar.com",
  "script.hotjar.com",
  "*.clarity.ms",
  "cdn.segment.com",
  "cdn.mxpnl.com",
  "cdn.amplitude.com",
  "cdn.heapanalytics.com",
  "*.fullstory.com",
  "*.posthog.com",
  "plausible.io/js/**",
  "cdn.usefathom.com",
  "static.cloudflareinsights.com",
  "cloud.umami.is",
  "analytics.umami.is",
  "scripts.simpleanalyticscdn.com",
  "*.goatcounter.com",
  "gc.zgo.at",
  "cdn.matomo.cloud",
  "*.matomo.cloud",
  "stats.wp.com",
  "pixel.wp.com",
  "js.hs-scripts.com",
  "js.hs-analytics.net",
  "snap.licdn.com",
  "px.ads.linkedin.com",
  "bat.bing.com",
  "mc.yandex.ru",
  "static.ads-twitter.com",
  "cdn.pendo.io",
  "*.statcounter.com",
  "static.getclicky.com",
  "*.quantserve.com",
  "*.scorecardresearch.com",
  "*.crazyegg.com",
  "cdn.mouseflow.com",
  "cdn.logrocket.io",
  "cdn.lr-ingest.io",
  "*.nr-data.net",
  "js-agent.newrelic.com",
  "browser.sentry-cdn.com",
  "js.sentry-cdn.com",
  "www.datadoghq-browser-agent.com",
  "*.snowplowanalytics.com",
];

const PATTERNS = TRACKERS.map((each) => new AddressPattern(each));

/** Whether an address is that of a script or pixel that counts readers. */
export const isTracker = (url: URL): boolean => PATTERNS.some((pattern) => pattern.matches(url));
