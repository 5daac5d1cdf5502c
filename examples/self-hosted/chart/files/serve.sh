#!/bin/sh
# Starts nginx and stops it gracefully, so that a rolling update interrupts no request. In the background, it compresses the text files of
# a fetched site once. A site in an image already contains compressed files.
set -u
folder=$(dirname "$0")
site=${SITE_FOLDER:-/site}
scratch=${SCRATCH_FOLDER:-/tmp}
image_site=${IMAGE_SITE_FOLDER:-}
content_id=${CONTENT_ID:-}
base_path=${BASE_PATH:-}
port=${PORT:-8080}

# without IPv6 in the kernel, nginx would not start with an IPv6 address
echo "listen $port;" >"$scratch/listen.conf"
[ ! -e "${IPV6_TABLE:-/proc/net/if_inet6}" ] || echo "listen [::]:$port;" >>"$scratch/listen.conf"

# the ETag of all files of an image: its digest identifies their content
case $content_id in *[!0-9a-f]*) content_id= ;; esac
echo "set \$content_id \"$content_id\";" >"$scratch/content_id.conf"

# how long a stopping nginx (1.27.4 or later) waits for requests that are on their way on kept connections
case $(nginx -v 2>&1) in
"nginx version: nginx/0."* | "nginx version: nginx/1."[0-9].* | "nginx version: nginx/1."1[0-9].*) ;;
"nginx version: nginx/1."2[0-6].* | "nginx version: nginx/1.27."[0-3]) ;;
"nginx version: nginx/"[1-9]*) echo "keepalive_min_timeout 5s;" >>"$scratch/listen.conf" ;;
esac

# nginx also keeps files open
ulimit -n "$(ulimit -H -n)" 2>/dev/null

# Makes a root folder for nginx that contains the folder at the path that the site was exported for.
make_root() { # root, folder
  mkdir -p "$(dirname "$1$base_path")"
  ln -s -f -n "$2" "$1$base_path"
}

# How nginx finds the other pods: by the name of a Service that lists them. nginx asks the name server itself, for the complete name.
find_other_pods() {
  conf=$scratch/other_pods.conf
  echo "return 404;" >"$conf"
  resolv_conf=${RESOLV_CONF:-/etc/resolv.conf}
  [ -n "${OTHER_PODS-}" ] && [ -r "$resolv_conf" ] || return 0
  servers=$(awk '$1 == "nameserver" { print $2 ~ /:.*:/ && $2 !~ /^\[/ ? "[" $2 "]" : $2 }' "$resolv_conf" | tr '\n' ' ')
  domain=$(awk '$1 == "search" { for (i = 2; i <= NF; i++) if ($i ~ /^svc\./) print $i }' "$resolv_conf" | tail -n 1)
  [ -n "$servers" ] && [ -n "$domain" ] || return 0
  case $servers$domain in *[!A-Za-z0-9.:\ _\[\]-]*) return 0 ;; esac
  cat >"$conf" <<END
resolver $servers valid=1s;
resolver_timeout 2s;
set \$other_pods $OTHER_PODS.${domain%.};
proxy_pass http://\$other_pods:\$server_port;
END
}

# nginx would send the site's own page.html.gz as the compressed form of its page.html.
ships_compressed() {
  find "$whole" -type f -name '*.gz' | while IFS= read -r file; do
    [ ! -f "${file%.gz}" ] || echo "$file"
  done | grep -q .
}

# otherwise nginx would become ready without any page
if [ -n "$image_site" ] && [ ! -f "$image_site/index.html" ]; then
  echo "The image has no site: there is no $image_site/index.html in it." >&2
  exit 1
fi

to_compress=no
whole=${image_site:-$site/active}
if [ -d "$whole" ]; then
  served=$whole
  : >"$scratch/compressed.conf"
  if nginx -V 2>&1 | grep -q gzip_static && { [ -n "$image_site" ] || ! ships_compressed; }; then
    echo "gzip_static on;" >"$scratch/compressed.conf"
    # hard links show whether an earlier container of this pod compressed this site
    if [ "$site/compressed/index.html" -ef "$whole/index.html" ]; then
      served=$site/compressed
    elif [ -z "$image_site" ]; then
      to_compress=yes
    fi
  fi
  make_root "$scratch/whole" "$whole"
  make_root "$scratch/served" "$served"
  # beside the site: what fetch-bundle.sh kept, or what the image has of the version before
  make_root "$scratch/previous" "$(dirname "$whole")/previous"
  find_other_pods
fi

compressor=
end_compressor() {
  [ -z "$compressor" ] || kill "$compressor" 2>/dev/null
}

# QUIT lets requests end and TERM does not; the image decides which one the kubelet sends
trap 'kill -QUIT "$nginx" 2>/dev/null; end_compressor' TERM QUIT INT
nginx -e stderr -c "$folder/nginx.conf" -g 'daemon off;' &
nginx=$!

if [ "$to_compress" = yes ]; then
  # with the CPU time that requests leave
  gently=
  ! command -v nice >/dev/null || gently="nice -n 19"
  $gently sh "$folder/compress.sh" "$site" "$scratch/served$base_path" &
  compressor=$!
  trap 'end_compressor; wait "$compressor"' EXIT
fi

# a trapped signal ends one wait, not nginx
while :; do
  wait "$nginx"
  status=$?
  kill -0 "$nginx" 2>/dev/null || exit "$status"
done
