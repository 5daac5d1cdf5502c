#!/bin/sh
# One export as scripts do it today: start, poll every ten seconds, mint the link.
# $1: the domain. API: the address of the endpoints. KEY: the admin API key. PAUSE: seconds, for a service that runs faster.
set -eu

call() {
  curl --silent --show-error --fail --retry 5 --header "Authorization: Bearer $KEY" "$@"
}
field() {
  sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'
}

job=$(call --json "{\"domain\":\"$1\"}" "$API" | field jobId)
while :; do
  case $(call "$API/$job" | field status) in
    completed) break ;;
    failed) exit 1 ;;
  esac
  sleep "${PAUSE:-10}"
done
link=$(call --request POST "$API/$job/bundle" | field bundleUrl)
echo "$link"
