#!/bin/sh
# What people write to carry a site by hand: the image of a web server and the site's own, the archive, the chart, a list of sums and
# its signature, in one file. Arguments: archive, base image, chart, registry for the site's image, empty folder; the key in KIT_KEY.
# Needs skopeo, crane, helm, openssl.
set -eu
archive=$1 base=$2 chart=$3 registry=$4 folder=$5
mkdir "$folder/site" "$folder/kit"
tar -xzf "$archive" -C "$folder/site"
tar -cf "$folder/layer.tar" --transform 's:^\.:usr/share/nginx/html:' -C "$folder/site" .
"$CRANE" append --insecure --base "$base" --new_layer "$folder/layer.tar" --new_tag "$registry/site:1" >/dev/null 2>&1
cd "$folder/kit"
for image in "$base" "$registry/site:1"; do
  skopeo --insecure-policy copy --quiet --src-tls-verify=false "docker://$image" "oci:images:${image##*/}"
done
cp "$archive" bundle.tar.gz
"$HELM" package "$chart" >/dev/null
find . -type f ! -name SHA256SUMS -exec sha256sum {} + >SHA256SUMS
printf '%s' "$KIT_KEY" >"$folder/key.pem"
openssl dgst -sha256 -sign "$folder/key.pem" -out SHA256SUMS.sig SHA256SUMS
tar -cf "$folder/kit.tar" .
wc -c <"$folder/kit.tar"
