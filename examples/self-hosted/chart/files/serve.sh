#!/bin/sh
# Starts nginx and ends it gently: a rolling update must not cut off a reader.
set -u
conf=${NGINX_CONF:-/etc/docs-server/nginx.conf}
listen=${LISTEN_CONF:-/tmp/listen.conf}
port=${PORT:-8080}

# where the kernel has no IPv6, nginx would refuse to start over such an address
echo "listen $port;" >"$listen"
[ ! -e "${IPV6_TABLE:-/proc/net/if_inet6}" ] || echo "listen [::]:$port;" >>"$listen"

# QUIT lets requests end, TERM does not, and which of them the kubelet sends is up to the image
trap 'kill -QUIT "$nginx" 2>/dev/null' TERM QUIT INT
nginx -e stderr -c "$conf" -g 'daemon off;' &
nginx=$!

# a trapped signal ends one wait, not nginx
while :; do
  wait "$nginx"
  status=$?
  kill -0 "$nginx" 2>/dev/null || exit "$status"
done
