#!/bin/sh
# Starts nginx and ends it gently: a rolling update must not cut off a reader. Beside it, texts of a site that was fetched are
# compressed once; one that came in an image has them compressed already.
set -u
folder=$(dirname "$0")
site=${SITE_FOLDER:-/site}
scratch=${SCRATCH_FOLDER:-/tmp}
image_site=${IMAGE_SITE_FOLDER:-}
base_path=${BASE_PATH:-}
port=${PORT:-8080}

# where the kernel has no IPv6, nginx would refuse to start over such an address
echo "listen $port;" >"$scratch/listen.conf"
[ ! -e "${IPV6_TABLE:-/proc/net/if_inet6}" ] || echo "listen [::]:$port;" >>"$scratch/listen.conf"

# a request may just be on its way on a connection that is kept: when nginx ends, it waits so long for it, from 1.27.4 on
case $(nginx -v 2>&1) in
"nginx version: nginx/0."* | "nginx version: nginx/1."[0-9].* | "nginx version: nginx/1."1[0-9].*) ;;
"nginx version: nginx/1."2[0-6].* | "nginx version: nginx/1.27."[0-3]) ;;
"nginx version: nginx/"[1-9]*) echo "keepalive_min_timeout 5s;" >>"$scratch/listen.conf" ;;
esac

# beside connections, nginx keeps files open
ulimit -n "$(ulimit -H -n)" 2>/dev/null

# Makes a root of nginx, which has the folder at the path that the site was exported for.
make_root() { # root, folder
  mkdir -p "$(dirname "$1$base_path")"
  ln -s -f -n "$2" "$1$base_path"
}

# A page.html.gz of the site's own beside its page.html would be taken for the same page, compressed.
ships_compressed() {
  find "$whole" -type f -name '*.gz' | while IFS= read -r file; do
    [ ! -f "${file%.gz}" ] || echo "$file"
  done | grep -q .
}

# nginx would be ready, and find no page
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
    # hard links tell whether an earlier container of this pod compressed this site
    if [ "$site/compressed/index.html" -ef "$whole/index.html" ]; then
      served=$site/compressed
    elif [ -z "$image_site" ]; then
      to_compress=yes
    fi
  fi
  make_root "$scratch/whole" "$whole"
  make_root "$scratch/served" "$served"
fi

compressor=
end_compressor() {
  [ -z "$compressor" ] || kill "$compressor" 2>/dev/null
}

# QUIT lets requests end, TERM does not, and which of them the kubelet sends is up to the image
trap 'kill -QUIT "$nginx" 2>/dev/null; end_compressor' TERM QUIT INT
nginx -e stderr -c "$folder/nginx.conf" -g 'daemon off;' &
nginx=$!

if [ "$to_compress" = yes ]; then
  # with what time of the processor readers leave
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
