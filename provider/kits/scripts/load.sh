#!/bin/sh
# Puts the kit's images into a registry, so that a cluster can pull them.
#
#   sh load.sh REGISTRY/PATH [--with skopeo|crane|oras|curl|docker] [--plain-http]
#
# Each image becomes REGISTRY/PATH/NAME:TAG. Content that the registry has is not sent again: if it fails, run it again. At the end
# it reads every manifest back and compares its digest with the kit's.
#
# It uses the first of these programs that is installed; curl alone is enough. Docker comes last, because it pushes unchanged
# manifests only with its containerd image store.
#
# The site's image of a signed kit brings its signature along: cosign finds it under the tag sha256-….sig of REGISTRY/PATH/NAME.
# Signatures of others that the registry has stay. docker sends none: curl does then, if it is installed.
#
# Credentials: REGISTRY_USER and REGISTRY_PASSWORD in the environment, otherwise those of `docker login` or `podman login`.
# --plain-http: the registry uses http. A private certificate authority: put its certificate into
# /etc/docker/certs.d/REGISTRY/ca.crt, or name it with SSL_CERT_FILE, which all of them but docker read (curl
# only if CURL_CA_BUNDLE is not set). An IPv6 address of a registry is in brackets: [fd00::1]:5000/docs.
#
# Needs sh, coreutils, grep, sed and awk. Writes only below TMPDIR (/tmp), because the kit's medium may be read-only.
set -uf # the shell must not expand texts of a registry as patterns of file names
umask 077
LC_ALL=C
export LC_ALL
unset CDPATH

# Takes the problem and the remedy. Prints only printable ASCII characters, whatever a server sent.
give_up() {
  printf '%s\n' "$@" | tr -c '\n -~' '?' >&2
  exit 1
}

# ---- The target --------------------------------------------------------------------------------------------------------

# Refuses a target that is no registry with a path, or whose images no cluster could pull. Says what to write instead.
check_target() {
  case $target in
    *://*) give_up "Write the registry without ${target%%://*}://, as in the name of an image: ${target#*://}" \
      "For a registry that uses http, add --plain-http." ;;
    /* | *[!][A-Za-z0-9.:/_-]*) give_up "$usage" ;;
  esac
  host=${target%%/*} port=
  case $host in
    \[*\]*)
      port=${host#*\]}
      case ${host%%\]*} in
        \[*[!0-9A-Fa-f:.]* | \[) give_up "$host is no IPv6 address in brackets. Write it like this: [fd00::1]:5000/docs" ;;
        \[*:*:*) ;;
        *) give_up "$host is no IPv6 address in brackets. Write it like this: [fd00::1]:5000/docs" ;;
      esac
      ;;
    *[][]* | *:*:*) give_up "An IPv6 address needs brackets. Write it like this: [fd00::1]:5000/docs" ;;
    localhost) ;;
    *:*) port=:${host#*:} ;;
    *.*) ;;
    *) give_up "$host has neither a dot nor a port: programs read $target as a name at Docker Hub." \
      "Write the registry's full name, or its port, such as $host:443." ;;
  esac
  case $port in
    '' | :[0-9]*) ;;
    *) port=: ;;
  esac
  case $port in : | :*[!0-9]*) give_up "$host has no usable port. Write it like this: registry.internal:5000/docs" ;; esac
  case $target in */*) ;; *) return 0 ;; esac
  case ${target#*/} in
    *[A-Z]*) give_up "The path ${target#*/} has upper case, and no program could pull such an image. Write it in lower case:" \
      "$host/$(printf %s "${target#*/}" | tr '[:upper:]' '[:lower:]')" ;;
    *:*) give_up "The path ${target#*/} has a colon. Leave out the tag: each image of the kit has its own." ;;
  esac
  case /${target#*/}/ in
    */[!a-z0-9]* | *[!a-z0-9]/* | *..* | *[._]-* | *-[._]* | *._* | *_.* | *___*)
      give_up "The path ${target#*/} cannot be the name of an image: each part must begin and end with a letter or a digit," \
        "with -, ., _ or __ between them." ;;
  esac
}

# ---- JSON --------------------------------------------------------------------------------------------------------------

# Prints each token of the JSON on standard input on a line of its own.
json_tokens() { tr '\r\n\t' '   ' | grep -oE '"([^"\\]|\\.)*"|[][{},:]|[^][{},:" ]+'; }

# Prints a line for each value of the JSON on standard input: its path, a tab, and the value. A path consists of names and indexes,
# separated by spaces, such as «manifests 0 digest».
json_values() {
  json_tokens | awk '
    function text(token,   out, code) {
      if (token !~ /^"/) return token
      token = substr(token, 2, length(token) - 2)
      out = ""
      while (match(token, /\\./)) {
        code = substr(token, RSTART + 1, 1)
        out = out substr(token, 1, RSTART - 1)
        token = substr(token, RSTART + 2)
        if (code == "u" && token ~ /^00[2-7][0-9A-Fa-f]/) {
          out = out sprintf("%c", 16 * hex(substr(token, 3, 1)) + hex(substr(token, 4, 1)))
          token = substr(token, 5)
        } else out = out (code ~ /["\\\/]/ ? code : "\\" code)
      }
      return out token
    }
    function hex(digit) { return index("0123456789abcdef", tolower(digit)) - 1 }
    depth > 32 { exit } # no document of a kit or a registry is nested so deeply
    $0 == "{" || $0 == "[" { isList[++depth] = $0 == "["; at[depth] = 0; isName = $0 == "{"; next }
    $0 == "}" || $0 == "]" { depth--; isName = 0; next }
    $0 == "," { if (isList[depth]) at[depth]++; else isName = 1; next }
    $0 == ":" { next }
    isName { at[depth] = text($0); isName = 0; next }
    {
      where = ""
      for (i = 1; i <= depth; i++) where = where (i > 1 ? " " : "") at[i]
      print where "\t" text($0)
    }'
}

# Prints the value at a path, from the output of json_values.
value_at() { awk -v where="$1" 'index($0, where "\t") == 1 { print substr($0, length(where) + 2); exit }'; }

# Prints the elements of a list, from the output of json_values: one line with the values of the given fields, «-» for a missing one.
# Names with a space are not supported.
elements_of() {
  list=$1
  shift
  awk -F '\t' -v list="$list" -v fields="$*" '
    BEGIN { wanted = split(fields, field, " ") }
    {
      split($1, where, " ")
      if (where[1] != list) next
      if (where[2] + 1 > count) count = where[2] + 1
      name = $1
      sub(/^[^ ]* [^ ]* /, "", name)
      value[where[2], name] = $2
    }
    END {
      for (n = 0; n < count; n++) {
        line = ""
        for (i = 1; i <= wanted; i++) {
          name = field[i]
          sub(/\//, " ", name) # a field of an object in the element
          line = line (i > 1 ? " " : "") ((n, name) in value ? value[n, name] : "-")
        }
        print line
      }
    }'
}

# Prints each element of a list of the JSON on standard input, as a line of JSON.
json_elements() {
  json_tokens | awk -v list="\"$1\"" '
    /^[]}]$/ { depth-- }
    isInside && depth == 1 { if (line != "") print line; isInside = 0 }
    isInside && depth == 2 && $0 == "," { print line; line = ""; next }
    isInside { line = line $0 }
    depth == 1 && $0 == "[" && last == ":" && name == list { isInside = 1 }
    /^[[{]$/ { depth++ }
    { name = last == ":" ? name : last; last = $0 }'
}

# Prints the JSON on standard input with more elements at the end of a list: those in a file, one per line.
with_elements() {
  json_tokens | awk -v list="\"$1\"" -v file="$2" '
    /^[]}]$/ { depth-- }
    isInside && depth == 1 {
      while ((getline more <file) > 0) { printf "%s%s", isEmpty ? "" : ",", more; isEmpty = 0 }
      isInside = 0
    }
    isInside { isEmpty = 0 }
    depth == 1 && $0 == "[" && last == ":" && name == list { isInside = isEmpty = 1 }
    /^[[{]$/ { depth++ }
    { printf "%s", $0; name = last == ":" ? name : last; last = $0 }'
}

# ---- The kit's content -------------------------------------------------------------------------------------------------

# Prints the path of a blob: of the kit, or of a manifest that this run has made.
file_of() {
  if [ -f "$work/made/${1#sha256:}" ]; then printf '%s/made/%s' "$work" "${1#sha256:}"; else
    printf '%s/images/blobs/sha256/%s' "$kit" "${1#sha256:}"
  fi
}

check_digest() {
  case ${1#sha256:} in "$1" | '' | *[!0-9a-f]*) give_up "'$1' is no digest. Run verify.sh to see what is wrong with this kit." ;; esac
}

lacking() { give_up "The kit lacks $1 of $image. Run verify.sh to see what is wrong with this kit."; }

# Prints the manifests of an image, children before their parents, one per line: digest and media type.
list_manifests() {
  level="$1 $2"
  all=
  while [ -n "$level" ]; do
    all="$level
$all"
    level=$(printf '%s\n' "$level" | while read -r each _; do
      check_digest "$each"
      [ -f "$(file_of "$each")" ] || lacking "$each"
      json_values <"$(file_of "$each")" | elements_of manifests digest mediaType
    done) || exit 1
  done
  printf '%s' "$all" | awk 'NF && !seen[$1]++'
}

# Prints the digests of the configuration and the layers of a manifest.
list_blobs() {
  json_values <"$(file_of "$1")" | awk -F '\t' '$1 == "config digest" || $1 ~ /^layers [0-9]+ digest$/ { print $2 }'
}

# Prints the versions of the earlier kits that contain the blobs that this kit leaves out, or the given blob.
earlier_kits() {
  # a version may have spaces
  json_values <manifest.json | elements_of blobs digest in | awk -v digest="${1-}" '
    (digest == "" || $1 == digest) && sub(/^[^ ]* /, "") && $0 != "this" && !seen[$0]++ { list = list ", \"" $0 "\"" }
    END { print substr(list, 3) }'
}

# Prints the platforms of the kit's images.
platforms() {
  json_values <manifest.json | awk -F '\t' '
    $1 ~ /^images [0-9]+ platforms [0-9]+$/ && !seen[$2]++ { list = list ", " $2 }
    END { print list == "" ? "unknown platforms" : substr(list, 3) }' | tr -c '\n -~' '?'
}

# ---- Credentials -------------------------------------------------------------------------------------------------------

# Sets $basic (user and password) or $identity (a token that is exchanged for others).
read_credentials() {
  basic='' identity=''
  if [ -n "${REGISTRY_USER-}" ]; then
    basic=$(printf '%s:%s' "$REGISTRY_USER" "${REGISTRY_PASSWORD-}" | base64 | tr -d '\n')
    return
  fi
  for file in "${REGISTRY_AUTH_FILE-}" "${DOCKER_CONFIG:-${HOME-}/.docker}/config.json" "${XDG_RUNTIME_DIR-}/containers/auth.json"; do
    [ -f "$file" ] || continue
    known=$(json_values <"$file")
    for key in "$registry" "https://$registry" "https://$registry/" "https://$registry/v2/" "https://$registry/v1/"; do
      basic=$(printf '%s\n' "$known" | value_at "auths $key auth")
      identity=$(printf '%s\n' "$known" | value_at "auths $key identitytoken")
      user=$(printf '%s\n' "$known" | value_at "auths $key username")
      if [ -z "$basic" ] && [ -n "$user" ]; then
        basic=$(printf '%s:%s' "$user" "$(printf '%s\n' "$known" | value_at "auths $key password")" | base64 | tr -d '\n')
      fi
      [ -z "$basic$identity" ] || return 0
    done
    helper=$(printf '%s\n' "$known" | value_at "credHelpers $registry")
    [ -n "$helper" ] || helper=$(printf '%s\n' "$known" | value_at credsStore)
    if [ -n "$helper" ] && known=$(printf '%s' "$registry" | "docker-credential-$helper" get 2>/dev/null | json_values); then
      user=$(printf '%s\n' "$known" | value_at Username) secret=$(printf '%s\n' "$known" | value_at Secret)
      case $user in
        '') continue ;;
        '<token>') identity=$secret ;;
        *) basic=$(printf '%s:%s' "$user" "$secret" | base64 | tr -d '\n') ;;
      esac
      return 0
    fi
  done
}

# The other programs read a file. It is removed at the end.
write_credentials() {
  [ -n "${REGISTRY_USER-}" ] || return 0
  read_credentials
  printf '{"auths":{"%s":{"auth":"%s"}}}\n' "$registry" "$basic" >"$work/config.json"
  DOCKER_CONFIG=$work REGISTRY_AUTH_FILE=$work/config.json
  export DOCKER_CONFIG REGISTRY_AUTH_FILE
}

# ---- Certificates ------------------------------------------------------------------------------------------------------

# Prints the certificate of the registry's own authority, where skopeo, podman or docker would find it.
own_authority() {
  for authority in "${HOME-}/.config/containers/certs.d/$registry/ca.crt" "/etc/docker/certs.d/$registry/ca.crt" \
    "/etc/containers/certs.d/$registry/ca.crt"; do
    [ ! -f "$authority" ] || { printf '%s' "$authority" && return; }
  done
}

# Crane and oras do not look there. They read the file that SSL_CERT_FILE names, in place of the system's.
trust_authority() {
  authority=$(own_authority)
  [ -n "$authority" ] || return 0
  for others in "${SSL_CERT_FILE-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem \
    /etc/ssl/cert.pem; do
    if [ -f "$others" ]; then
      cat "$others"
      break
    fi
  done >"$work/authorities.pem"
  { echo && cat "$authority"; } >>"$work/authorities.pem" || exit 1
  SSL_CERT_FILE=$work/authorities.pem
  export SSL_CERT_FILE
}

certificate_hint() {
  printf '%s' "Put the certificate of its authority into /etc/docker/certs.d/$registry/ca.crt." \
    " Or name it: export SSL_CERT_FILE=/path/to/ca.crt"
}

# Reports why a program cannot talk to the registry, if the error of its last read says so.
explain_connection() {
  [ "$program" != curl ] || return 0
  case $(cat "$work/errors") in
    *'server gave HTTP response to HTTPS client'*)
      hint="If the registry uses http, add --plain-http."
      [ "$program" != docker ] || hint="docker ignores --plain-http: list $registry under insecure-registries in /etc/docker/daemon.json, or use --with curl."
      ;;
    *'x509: certificate signed by unknown authority'* | *'certificate is not trusted'*)
      hint=$(certificate_hint)
      [ "$program" != docker ] || hint="Put the certificate of its authority into /etc/docker/certs.d/$registry/ca.crt: docker does not read SSL_CERT_FILE."
      ;;
    *'x509: certificate has expired or is not yet valid'*) hint="Check the clock of this machine, and the registry's certificate." ;;
    *x509:*) hint="The registry needs a certificate for the name or address $registry, or use the name that the certificate has." ;;
    *) return 0 ;;
  esac
  give_up "$program cannot talk to $registry: $(tr '\n' ' ' <"$work/errors" | head -c 600)" "$hint" "Nothing of $image was sent."
}

# ---- curl alone: one request -------------------------------------------------------------------------------------------

# curl gets credentials on its standard input, because everybody on this machine can read arguments. Replies are limited: headers and
# body to $most_reply_bytes each, a request to $most_seconds.
run_curl() {
  credential=$1
  shift
  authority=$(own_authority)
  [ -z "$authority" ] || set -- --cacert "$authority" "$@"
  : >"$work/headers"
  : >"$work/body"
  status=$({ [ -z "$credential" ] || printf 'header = "Authorization: %s"\n' "$credential"; } | {
    ulimit -f $((most_reply_bytes / 512))
    trap '' XFSZ # so that curl reports what happened
    exec curl --config - --globoff --silent --show-error --connect-timeout 30 --speed-limit 1 --speed-time 300 \
      --retry 3 --retry-max-time 120 --max-time "$most_seconds" \
      --dump-header "$work/headers" --output "$work/body" --write-out '%{http_code}' "$@" 2>"$work/errors"
  }) || status=000
}

# Takes a method, an address and more arguments for curl. Sets $status, and writes $work/headers and $work/body. Logs in if the
# registry requires it.
request() {
  method=$1 address=$2
  shift 2
  case $method in
    HEAD) set -- --head "$@" ;;
    *) set -- --request "$method" "$@" ;;
  esac
  case $address in
    "$origin"/*) ;;
    *) # some registries redirect uploads to another host, with a signed address that needs no credentials
      run_curl '' "$@" --url "$address"
      return
      ;;
  esac
  run_curl "$authorization" "$@" --url "$address"
  if [ "$status" = 401 ] && log_in; then run_curl "$authorization" "$@" --url "$address"; fi
}

# Prints the last value of a header.
header() {
  tr -d '\r' <"$work/headers" | awk -v name="$1:" '
    tolower(substr($0, 1, length(name))) == name { value = substr($0, length(name) + 1); sub(/^[ \t]+/, "", value) }
    END { print value }'
}

# Logs in as the registry requires in its 401. Fails if there is nothing new to try.
log_in() {
  challenge=$(tr -d '\r' <"$work/headers" | grep -i '^www-authenticate:')
  case $challenge in
    *[Bb]earer\ *) get_token ;;
    *[Bb]asic*)
      [ -n "$basic" ] && [ "$authorization" != "Basic $basic" ] || return 1
      authorization="Basic $basic"
      ;;
    *) return 1 ;;
  esac
}

# See https://distribution.github.io/distribution/spec/auth/token/
get_token() {
  realm=$(challenged realm) service=$(challenged service)
  case $realm in
    https://*) ;;
    http://*) [ "$scheme" = http ] || give_up "$registry requires to send the password to $realm, which is not encrypted." ;;
    *) return 1 ;;
  esac
  set -- --url "$realm"
  [ -z "$service" ] || set -- "$@" --data-urlencode "service=$service"
  if [ -n "$identity" ]; then
    printf '%s' "$identity" >"$work/identity"
    set -- "$@" --data grant_type=refresh_token --data client_id=load.sh --data-urlencode "refresh_token@$work/identity" \
      --data-urlencode "scope=$(challenged scope)"
    run_curl '' "$@"
  else
    for scope in $(challenged scope); do set -- "$@" --data-urlencode "scope=$scope"; done
    run_curl "${basic:+Basic $basic}" --get "$@"
  fi
  [ "$status" = 200 ] || return 1
  token=$(json_values <"$work/body" | value_at token)
  [ -n "$token" ] || token=$(json_values <"$work/body" | value_at access_token)
  case $token in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
  authorization="Bearer $token"
}

challenged() { printf '%s\n' "$challenge" | sed -n "s/.*[Bb]earer .*$1=\"\([^\"]*\)\".*/\1/p"; }

# Takes what could not be done, and reports why.
refused() {
  case $status in
    000)
      case $(cat "$work/errors") in
        *'curl: (60)'*) hint=$(certificate_hint) ;;
        *'curl: (35)'*) hint="If the registry uses http, add --plain-http." ;;
        *) hint="The registry keeps what has arrived. Run it again to continue." ;;
      esac
      give_up "$1: $(cat "$work/errors")" "$hint"
      ;;
    401 | 403) give_up "$1: the registry answered $status$(body_start)" \
      "Log in: REGISTRY_USER and REGISTRY_PASSWORD in the environment, or docker login $registry." ;;
    *) give_up "$1: the registry answered $status$(body_start)" ;;
  esac
}

body_start() { head -c 300 "$work/body" | tr '\n' ' ' | sed 's/^./: &/'; }

# ---- curl alone: an image ----------------------------------------------------------------------------------------------

has_blob() {
  request HEAD "$api/$repository/blobs/$1"
  case $status in
    2?? | 3??) return 0 ;; # a redirect also proves that the blob exists
    404) return 1 ;;
    *) refused "Cannot check whether $repository has $1" ;;
  esac
}

# Sends one blob to $repository, unless the repository has it. A blob in a sibling repository is mounted without sending it.
place_blob() {
  check_digest "$1"
  ! has_blob "$1" || return 0
  tries=0 from='' location=''
  for place in $placed; do
    [ "${place%,*}" != "$1" ] || from=${place#*,}
  done
  if [ -n "$from" ]; then
    request POST "$api/$repository/blobs/uploads/?mount=$1&from=$from" --data ''
    [ "$status" != 201 ] || return 0
  fi
  if [ ! -f "$(file_of "$1")" ]; then
    kits=$(earlier_kits "$1")
    [ -n "$kits" ] || lacking "$1"
    give_up "$1 of $image is not in $destination, and this kit does not contain it." \
      "Load the kit of version $kits into $target first, then this one again."
  fi
  size=$(($(wc -c <"$(file_of "$1")")))
  echo "  sending $1 ($size bytes)"
  until upload "$1"; do
    tries=$((tries + 1))
    case $status in
      000 | 404 | 408 | 416 | 429 | 5??) [ $tries -lt 4 ] || refused "$1 cannot be sent to $repository" ;;
      *) refused "$1 cannot be sent to $repository" ;;
    esac
    echo "  continuing with it: $status $(tr -d '\n' <"$work/errors")"
    sleep $tries
    # the lost reply may have been a success
    ! has_blob "$1" || return 0
  done
}

# Records the repository of each blob of an image, as «DIGEST,REPOSITORY», for the images that follow.
record_blobs() {
  while read -r manifest _ <&4; do
    for blob in $(list_blobs "$manifest"); do placed="$placed $blob,$repository"; done
  done 4<"$work/manifests"
}

# Sends a blob, or the rest of it if an interrupted upload left a part in the registry.
upload() {
  offset=0
  [ -z "$location" ] || ask_for_offset "$1"
  if [ -z "$location" ]; then
    request POST "$api/$repository/blobs/uploads/" --data ''
    [ "$status" = 202 ] || return 1
    locate
  fi
  case $location in
    *\?*) to="$location&" ;;
    *) to="$location?" ;;
  esac
  to="${to}digest=sha256%3A${1#sha256:}"
  set -- --upload-file "$(file_of "$1")" --header 'Content-Type: application/octet-stream' --header 'Expect:'
  [ $offset -eq 0 ] || set -- "$@" --continue-at $offset --header "Content-Range: $offset-$((size - 1))"
  most_seconds=$((most_seconds + size / 1024))
  request PUT "$to" "$@"
  most_seconds=$most_request_seconds
  case $status in 200 | 201 | 204) ;; *) return 1 ;; esac
}

# Reads from the last reply where the upload continues.
locate() {
  location=$(header location)
  case $location in
    http://* | https://*) ;;
    /*) location=$origin$location ;;
    *) give_up "$registry sent no usable Location header for an upload." ;;
  esac
}

# Sets $offset to the number of bytes that have arrived. Clears $location if the upload must restart.
ask_for_offset() {
  request GET "$location"
  last=$(header range)
  last=${last#bytes=}
  last=${last#0-}
  case $status:$last in
    20[04]: | *:*[!0-9]*) location= ;;
    20[04]:0) ;; # registries also send «0-0» for an empty upload
    20[04]:*) offset=$((last + 1)) ;;
    *) location= ;;
  esac
  if [ -z "$location" ] || [ "$offset" -ge "$size" ]; then
    location='' offset=0
  else
    locate
  fi
}

# Takes the reference, the media type and the digest of a manifest.
place_manifest() {
  request PUT "$api/$repository/manifests/$1" --header "Content-Type: $2" --header 'Expect:' --upload-file "$(file_of "$3")"
  case $status in 200 | 201 | 204) ;; *) refused "The manifest $3 cannot be written to $repository" ;; esac
}

push_with_curl() {
  while read -r manifest type <&4; do
    for blob in $(list_blobs "$manifest"); do place_blob "$blob"; done
    place_manifest "$manifest" "$type" "$manifest"
  done 4<"$work/manifests"
  [ "$tag" = "$digest" ] || place_manifest "$tag" "$media_type" "$digest"
}

read_with_curl() {
  request GET "$api/$repository/manifests/$1" --header "Accept: application/vnd.oci.image.index.v1+json" \
    --header "Accept: application/vnd.oci.image.manifest.v1+json" \
    --header "Accept: application/vnd.docker.distribution.manifest.list.v2+json" \
    --header "Accept: application/vnd.docker.distribution.manifest.v2+json"
  [ "$status" = 200 ] && cat "$work/body" && return
  case $status in 404) echo "not found" ;; *) echo "the registry answered $status" ;; esac >>"$work/errors"
  return 1
}

# ---- The other programs ------------------------------------------------------------------------------------------------

# Uses skopeo's own folder format, because skopeo accepts no manifests with Docker's media types from an OCI layout.
push_with_skopeo() {
  rm -rf "$work/folder"
  mkdir "$work/folder" && printf 'Directory Transport Version: 1.1\n' >"$work/folder/version" || exit 1
  ln -s "$(file_of "$digest")" "$work/folder/manifest.json"
  while read -r manifest _ <&4; do
    ln -s "$(file_of "$manifest")" "$work/folder/${manifest#sha256:}.manifest.json"
    for blob in $(list_blobs "$manifest"); do ln -sf "$(file_of "$blob")" "$work/folder/${blob#sha256:}"; done
  done 4<"$work/manifests"
  # the policy is about signatures of images; verify.sh has checked who made the kit
  skopeo --insecure-policy copy --all ${plain_http:+--dest-tls-verify=false} "dir:$work/folder" "docker://$(named "$tag")"
}
read_with_skopeo() { skopeo --insecure-policy inspect --raw ${plain_http:+--tls-verify=false} "docker://$(named "$1")" 2>"$work/errors"; }

push_with_crane() {
  make_layout
  crane push ${plain_http:+--insecure} "$work/layout" "$(named "$tag")"
}
read_with_crane() { crane manifest ${plain_http:+--insecure} "$(named "$1")" 2>"$work/errors"; }

push_with_oras() {
  make_layout
  oras cp --no-tty --from-oci-layout ${plain_http:+--to-plain-http} "$work/layout@$digest" "$(named "$tag")"
}
read_with_oras() { oras manifest fetch ${plain_http:+--plain-http} "$(named "$1")" 2>"$work/errors"; }

push_with_docker() {
  make_layout
  set -- oci-layout index.json
  while read -r manifest _ <&4; do
    for blob in "$manifest" $(list_blobs "$manifest"); do
      [ ! -f "$(file_of "$blob")" ] || set -- "$@" "blobs/sha256/${blob#sha256:}"
    done
  done 4<"$work/manifests"
  tar -C "$work/layout" -chf - "$@" | docker load && docker push "$destination:$tag"
}
read_with_docker() { docker buildx imagetools inspect --raw "$(named "$1")" 2>"$work/errors"; }

# Prints the reference of a tag or digest in $destination.
named() {
  case $1 in
    sha256:*) printf '%s@%s' "$destination" "$1" ;;
    *) printf '%s:%s' "$destination" "$1" ;;
  esac
}

# Makes an OCI layout with one image, for programs that cannot select one of several. It links to the kit's blobs.
make_layout() {
  rm -rf "$work/layout"
  mkdir "$work/layout" && cp images/oci-layout "$work/layout/oci-layout" || exit 1
  if [ -f "$work/made/${digest#sha256:}" ]; then
    # not links: crane refuses them there
    mkdir -p "$work/layout/blobs/sha256" || exit 1
    for blob in "$digest" $(list_blobs "$digest"); do
      [ ! -f "$(file_of "$blob")" ] || cp "$(file_of "$blob")" "$work/layout/blobs/sha256/" || exit 1
    done
  else
    ln -s "$kit/images/blobs" "$work/layout/blobs" || exit 1
  fi
  printf '{"schemaVersion":2,"manifests":[{"mediaType":"%s","digest":"%s","size":%d,"annotations":{"%s":"%s","%s":"%s"}}]}\n' \
    "$media_type" "$digest" "$(wc -c <"$(file_of "$digest")")" org.opencontainers.image.ref.name "$tag" \
    io.containerd.image.name "$destination:$tag" >"$work/layout/index.json"
}

# ---- Signatures --------------------------------------------------------------------------------------------------------

# What load.sh brings along with an image: its signature, and the signed documents about it. Each is a manifest, either under a tag
# that cosign reads, or only as a referrer: a manifest that names the image as its subject.
load_artifacts() {
  json_values <manifest.json | elements_of artifacts digest mediaType subject tag >"$work/artifacts"
  [ -s "$work/artifacts" ] || return 0
  if [ "$program" = docker ]; then
    if ! command -v curl >/dev/null; then
      echo "NOT LOADED: the signature of the site's image. docker cannot send it: install curl, skopeo, crane or oras, and run it again."
      return
    fi
    program=curl
    read_credentials
  fi
  mkdir "$work/made" || exit 1
  while read -r digest media_type subject tag <&3; do
    check_digest "$digest"
    image=$(awk -v digest="$subject" '$1 == digest { print $3; exit }' "$work/images")
    [ -n "$image" ] || give_up "The kit has the signature of an image that it does not have. Run verify.sh to see what is wrong with it."
    place_image
    case $tag in
      -) tag=$digest ;;
      *[!A-Za-z0-9_.-]*) give_up "The kit has a signature without a usable name: $tag" ;;
      *) keep_layers ;;
    esac
    load_manifest
    printf '%s %s\n' "$digest" "$media_type" >>"$work/documents"
  done 3<"$work/artifacts"
  while read -r digest _ subject _ <&3; do
    image=$(awk -v digest="$subject" '$1 == digest { print $3; exit }' "$work/images")
    place_image
    echo "The image of the site is signed: cosign verify --key PUBLIC_KEY.pem --insecure-ignore-tlog=true $destination@$subject"
    list_referrers
    return
  done 3<"$work/artifacts"
}

# Others may have signed the image, too, and cosign keeps all signatures of an image in one manifest: then a new one has the kit's and
# theirs. Sets $digest to the one that the registry must have.
keep_layers() {
  read_theirs || return 0
  json_elements layers <"$work/theirs" >"$work/layers"
  [ -s "$work/layers" ] || give_up "$destination:$tag is no signature of an image, although its name says so." \
    "Remove this tag from the registry, and run it again."
  json_elements layers <"$(file_of "$digest")" >"$work/ours"
  if [ -z "$(missing_from "$work/layers" <"$work/ours")" ]; then
    take_manifest "$work/theirs"
    return
  fi
  missing_from "$work/ours" <"$work/layers" >"$work/more"
  [ -s "$work/more" ] || return 0
  echo "keeping the signatures that $destination:$tag has"
  with_elements layers "$work/more" <"$(file_of "$digest")" >"$work/changed" || exit 1
  take_manifest "$work/changed"
}

# Reads what the registry has under $tag into $work/theirs. Fails if it has nothing.
read_theirs() {
  : >"$work/errors"
  if "read_with_$program" "$tag" >"$work/theirs"; then return; fi
  grep -qiE 'not found|manifest.unknown|name.unknown|404' "$work/errors" && return 1
  give_up "$program cannot read $(named "$tag"): $(tr '\n' ' ' <"$work/errors" | head -c 600)" \
    "The images are there, the signature of the site's image may not be. Run it again to continue."
}

# Prints the layers on standard input that are not in a file of layers. Two keys sign the same content, so signatures count, too.
missing_from() {
  awk -v file="$1" '
    function facts(layer,   found) {
      if (match(layer, /"digest":"[^"]*"/)) found = substr(layer, RSTART, RLENGTH)
      if (match(layer, /cosign\/signature":"[^"]*"/)) found = found substr(layer, RSTART, RLENGTH)
      return found
    }
    BEGIN { while ((getline layer <file) > 0) known[facts(layer)] = 1 }
    !(facts($0) in known)'
}

# Sets $digest to the digest of a file, which is a manifest that the kit does not have.
take_manifest() {
  digest=$(sha256sum <"$1")
  digest=sha256:${digest%% *}
  cp "$1" "$work/made/${digest#sha256:}" || exit 1
}

# Registries without the API for referrers need a list of them, under a tag. Crane and oras keep it on their own. Skopeo cannot send one
# unchanged: cosign needs none.
list_referrers() {
  [ "$program" = curl ] || return 0
  request GET "$api/$repository/referrers/$subject" --header "Accept: application/vnd.oci.image.index.v1+json"
  [ "$status" != 200 ] || return 0
  tag=sha256-${subject#sha256:}
  list_type=application/vnd.oci.image.index.v1+json
  read_theirs || printf '{"schemaVersion":2,"mediaType":"%s","manifests":[]}' $list_type >"$work/theirs"
  json_elements manifests <"$work/theirs" >"$work/listed"
  while read -r digest media_type <&4; do
    known=$(json_values <"$(file_of "$digest")")
    [ -n "$(printf '%s\n' "$known" | value_at 'subject digest')" ] || continue
    grep -qF "\"$digest\"" "$work/listed" && continue
    printf '{"mediaType":"%s","digest":"%s","size":%d,"artifactType":"%s"' "$media_type" "$digest" \
      "$(wc -c <"$(file_of "$digest")")" "$(printf '%s\n' "$known" | value_at artifactType)"
    predicate=$(printf '%s\n' "$known" | value_at 'annotations in-toto.io/predicate-type')
    [ -z "$predicate" ] || printf ',"annotations":{"in-toto.io/predicate-type":"%s"}' "$predicate"
    printf '}\n'
  done 4<"$work/documents" >"$work/more"
  [ -s "$work/more" ] || return 0
  with_elements manifests "$work/more" <"$work/theirs" >"$work/changed" || exit 1
  take_manifest "$work/changed"
  place_manifest "$tag" $list_type "$digest"
}

# ---- Main --------------------------------------------------------------------------------------------------------------

# Whether the registry returns the kit's own bytes for a tag or digest.
reads_back() {
  asked=$1
  "read_with_$program" "$1" >"$work/manifest"
  [ "$(sha256sum <"$work/manifest")" = "${2#sha256:}  -" ]
}

# Whether it does so for all manifests of the image and for its tag.
is_there() {
  while read -r manifest _ <&4; do
    reads_back "$manifest" "$manifest" || return 1
  done 4<"$work/manifests"
  reads_back "$tag" "$digest"
}

load_image() {
  case $image in
    -* | *[!A-Za-z0-9._:-]*) give_up "The kit has an image without a usable name: $image" ;;
    *:*) ;;
    *) give_up "The kit has an image without a tag: $image" ;;
  esac
  place_image
  tag=${image##*:}
  load_manifest
}

# Sets where $image is in the registry.
place_image() {
  repository=${path:+$path/}${image%:*}
  destination=$registry/$repository
}

# Loads the manifest $digest, and all that it refers to, as $tag.
load_manifest() {
  list_manifests "$digest" "$media_type" >"$work/manifests" || exit 1
  what=$(named "$tag")
  case $tag in sha256:*) pinned=$what ;; *) pinned=$what@$digest ;; esac
  if is_there; then
    echo "there already: $pinned"
    record_blobs
    return
  fi
  explain_connection
  echo "loading: $what"
  if ! "push_with_$program" </dev/null; then
    kits=$(earlier_kits)
    [ -z "$kits" ] || set -- "If a blob is missing, load the kit of version $kits into $target first, then this one again."
    give_up "$program could not load $what." \
      "The registry keeps what has arrived. Run it again to continue, or try another program: --with curl." "$@"
  fi
  is_there || give_up "$what differs from the kit: the registry returns $asked changed, or not at all." \
    "$program may have changed it: try --with curl."
  echo "loaded: $pinned"
  record_blobs
}

main() {
  target='' program='' plain_http='' scheme=https
  usage="usage: sh load.sh REGISTRY/PATH [--with skopeo|crane|oras|curl|docker] [--plain-http]"
  while [ $# -gt 0 ]; do
    case $1 in
      --plain-http) plain_http=yes scheme=http ;;
      --with)
        [ $# -gt 1 ] || give_up "$usage"
        program=$2
        shift
        ;;
      -* | '') give_up "$usage" ;;
      *)
        [ -z "$target" ] || give_up "$usage"
        target=${1%/}
        ;;
    esac
    shift
  done
  [ -n "$target" ] || give_up "$usage"
  check_target
  registry=${target%%/*} path=${target#"${target%%/*}"}
  path=${path#/}
  origin=$scheme://$registry api=$scheme://$registry/v2
  kit=$(cd -- "$(dirname -- "$0")" && pwd -P) && cd "$kit" || exit 1
  [ -f images/index.json ] || give_up "There are no images beside load.sh. If this folder contains the parts of a kit, join them as README.md describes."

  case $program in
    '')
      set -- skopeo crane oras curl docker
      case $registry in \[*) set -- curl crane oras skopeo docker ;; esac # older versions of skopeo know no IPv6 addresses in names
      for each; do
        [ -n "$program" ] || ! command -v $each >/dev/null || program=$each
      done
      [ -n "$program" ] || give_up "One of skopeo, crane, oras, curl and docker is required, but none is on PATH."
      ;;
    skopeo | crane | oras | curl | docker) command -v "$program" >/dev/null || give_up "$program is not on PATH." ;;
    *) give_up "$usage" ;;
  esac

  most_reply_bytes=$((8 << 20))                  # a manifest has 4 MiB at most
  most_request_seconds=${MOST_REQUEST_SECONDS:-600} # plus a second for each KiB that is sent
  most_seconds=$most_request_seconds
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  authorization='' placed=''
  case $program in
    curl) read_credentials ;;
    crane | oras) write_credentials && trust_authority ;;
    *) write_credentials ;;
  esac
  : >"$work/errors"
  echo "Loading with $program into $target"
  echo "The images are for $(platforms): the nodes must be one of these."
  json_values <images/index.json | elements_of manifests digest mediaType annotations/org.opencontainers.image.ref.name artifactType |
    awk '$4 == "-" && $3 !~ /:sha256-[0-9a-f]*\.(sig|att)$/' >"$work/images" # without signatures
  [ -s "$work/images" ] || give_up "The kit has no images."
  while read -r digest media_type image _ <&3; do load_image; done 3<"$work/images"
  load_artifacts
  echo "OK: all images are in $target, with the kit's digests."
}

main "$@"
