#!/bin/sh
# A new version as scripts publish it today: export, then upgrade the release by hand.
# $1: the domain. $2: the version. EXPORT: the script that exports. HELM, CHART, NAMESPACE, VALUES (a file): the release.
set -eu

link=$(sh "$EXPORT" "$1")
"$HELM" upgrade --install docs "$CHART" --namespace "$NAMESPACE" --wait --timeout 10m --values "$VALUES" \
  --set staticExport.enabled=true --set-string staticExport.bundleUrl="$link" --set-string staticExport.version="$2" >/dev/null
