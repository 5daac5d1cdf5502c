#!/bin/sh
# Puts the kit's images into a registry, so that a cluster can pull them.
#
#   sh load.sh REGISTRY/PATH [--with skopeo|crane|oras|curl|docker] [--plain-http] [--without-signatures]
#
# Each image becomes REGISTRY/PATH/NAME:TAG. Content that the registry has is not sent again: if it fails, run it again. At the end
# it reads every manifest back, compares its digest with the kit's, and asks for every blob that a manifest names.
#
# It uses the first of these programs that is installed; curl alone is enough. Skopeo cannot tell a blob above 1 MiB from a page of a
# proxy that is as large. Docker comes last, because it pushes unchanged
# manifests only with its containerd image store, and cannot ask for a blob: curl does then, if it is installed.
#
# The site's image of a signed kit brings its signature along: cosign finds it under the tag sha256-….sig of REGISTRY/PATH/NAME.
# Signatures of others that the registry has stay. docker sends none: curl does then, if it is installed.
# --without-signatures: for a registry that accepts none. Then nobody can verify in that registry who made the site's image.
#
# Credentials: REGISTRY_USER and REGISTRY_PASSWORD in the environment, otherwise those of `docker login` or `podman login`,
# wherever these keep them, also for a path of the registry. All programs but docker get the same one.
# --plain-http: the registry uses http. A private certificate authority: put its certificate into
# /etc/docker/certs.d/REGISTRY/ca.crt, or name it with SSL_CERT_FILE, which all of them but docker read (curl
# only if CURL_CA_BUNDLE is not set). An IPv6 address of a registry is in brackets: [fd00::1]:5000/docs.
#
# Needs sh, coreutils (without sha256sum: shasum or openssl), grep, sed and awk. Writes only below TMPDIR (/tmp), because the kit's
# medium may be read-only.
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

# Sets $hash to the program that makes SHA-256 sums here.
find_hash() {
  for hash in sha256sum 'shasum -a 256' 'openssl dgst -sha256 -r'; do
    case $(sha256_of </dev/null) in e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855) return ;; esac
  done
  give_up "One of sha256sum, shasum and openssl is required, but none is on PATH. Nothing was sent."
}

# Prints the SHA-256 of standard input.
sha256_of() {
  sum=$($hash 2>/dev/null) || return 1
  printf '%s' "${sum%%[!0-9a-f]*}"
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

# Prints the files that may have a login, one per line, in the order of provider/publishing/images/registry/credentials.ts.
login_places() {
  [ -z "${own_auth_file-}" ] || printf '%s\n' "$own_auth_file"
  [ -z "${DOCKER_AUTH_CONFIG-}" ] || printf '%s\n' "$work/DOCKER_AUTH_CONFIG"
  [ -z "${own_docker_config-}" ] || printf '%s\n' "$own_docker_config/config.json"
  # podman's own, by whether there is a folder of a session, which root often has not
  if [ -n "${XDG_RUNTIME_DIR-}" ]; then
    printf '%s\n' "$XDG_RUNTIME_DIR/containers/auth.json"
  else
    printf '%s\n' "/run/containers/$(id -u)/auth.json"
  fi
  [ -z "${XDG_CONFIG_HOME-}${HOME-}" ] || printf '%s\n' "${XDG_CONFIG_HOME:-${HOME-}/.config}/containers/auth.json"
  [ -z "${HOME-}" ] || printf '%s\n' "$HOME/.docker/config.json"
}

# Prints the keys of a table of a configuration, from the output of json_values, that name $repository, its registry or a folder on the
# way: the longest first. A key may have the form of an address: https://registry.internal/v2/.
matching_keys() {
  awk -F '\t' -v table="$1" -v name="$registry/$repository" '
    function is_docker(host) { return host ~ /^(index\.|registry-1\.)?docker\.io$/ }
    {
      if (split($1, where, " ") < 2 || where[1] != table || seen[where[2]]++) next
      place = where[2]
      sub(/^https?:\/\//, "", place)
      sub(/(\/v[12])?\/*$/, "", place)
      if (name == place || index(name, place "/") == 1 || (is_docker(place) && is_docker(substr(name, 1, index(name, "/") - 1))))
        printf "%d %s\n", length(place), where[2]
    }' | sort -rn | cut -d ' ' -f 2
}

# Sets $basic (user and password) or $identity (a token that is exchanged for others) for $repository, and $login_place to where it is from.
find_login() {
  basic='' identity='' login_place=''
  if [ -n "${REGISTRY_USER-}" ]; then
    basic=$(printf '%s:%s' "$REGISTRY_USER" "${REGISTRY_PASSWORD-}" | base64 | tr -d '\n') login_place=REGISTRY_USER
    return
  fi
  [ -z "${DOCKER_AUTH_CONFIG-}" ] || printf '%s\n' "$DOCKER_AUTH_CONFIG" >"$work/DOCKER_AUTH_CONFIG"
  login_places >"$work/places"
  while IFS= read -r login_place <&5; do
    [ -f "$login_place" ] || continue
    known=$(json_values <"$login_place" 2>/dev/null)
    {
      printf '%s\n' "$known" | matching_keys credHelpers | while read -r key; do printf '%s\n' "$known" | value_at "credHelpers $key"; done
      printf '%s\n' "$known" | value_at credsStore
    } >"$work/helpers"
    while read -r helper <&6; do
      if ask_helper "$helper"; then return; fi
    done 6<"$work/helpers"
    printf '%s\n' "$known" | matching_keys auths >"$work/keys"
    while read -r key <&6; do
      basic=$(plain_login "$(printf '%s\n' "$known" | value_at "auths $key auth")")
      identity=$(printf '%s\n' "$known" | value_at "auths $key identitytoken")
      user=$(printf '%s\n' "$known" | value_at "auths $key username")
      if [ -z "$basic" ] && [ -n "$user" ]; then
        basic=$(printf '%s:%s' "$user" "$(printf '%s\n' "$known" | value_at "auths $key password")" | base64 | tr -d '\n')
      fi
      [ -z "$basic$identity" ] || return 0
    done 6<"$work/keys"
  done 5<"$work/places"
  login_place=
}

# Prints a user and a password in base64 without the zeros that docker once wrote at the end; nothing if there is no colon between them.
plain_login() {
  decoded=$(printf '%s' "$1" | base64 -d 2>/dev/null | tr -d '\000')
  case $decoded in *:*) printf '%s' "$decoded" | base64 | tr -d '\n' ;; esac
}

# Asks a program that keeps logins. Fails if it has none.
ask_helper() {
  case $1 in '' | *[!A-Za-z0-9_.-]*) return 1 ;; esac
  said=$(printf '%s' "$login_key" | "docker-credential-$1" get 2>/dev/null | json_values)
  user=$(printf '%s\n' "$said" | value_at Username) secret=$(printf '%s\n' "$said" | value_at Secret)
  case $user:$secret in
    : | *:) return 1 ;;
    '<token>':*) identity=$secret ;;
    *) basic=$(printf '%s:%s' "$user" "$secret" | base64 | tr -d '\n') ;;
  esac
}

# Gives the program the login for $repository. Those that do not find all logins on their own read a file, which is removed at the end.
use_login() {
  [ "$login_of" != "$repository" ] || return 0
  login_of=$repository authorization=''
  case $registry in
    docker.io | index.docker.io | registry-1.docker.io) login_key=https://index.docker.io/v1/ ;;
    *) login_key=$registry ;;
  esac
  find_login
  [ "$program" != curl ] || return 0
  # docker reads more than logins in its folder
  if [ -n "$basic$identity" ] && { [ "$program" != docker ] || [ "$login_place" = REGISTRY_USER ]; }; then
    mkdir -p "$work/login" || exit 1
    printf '{"auths":{"%s":{"auth":"%s"%s}}}\n' "$login_key" "$basic" "${identity:+,\"identitytoken\":\"$identity\"}" >"$work/login/config.json"
    DOCKER_CONFIG=$work/login REGISTRY_AUTH_FILE=$work/login/config.json
    export DOCKER_CONFIG REGISTRY_AUTH_FILE
  else
    if [ -n "$own_docker_config" ]; then DOCKER_CONFIG=$own_docker_config; else unset DOCKER_CONFIG; fi
    if [ -n "$own_auth_file" ]; then REGISTRY_AUTH_FILE=$own_auth_file; else unset REGISTRY_AUTH_FILE; fi
  fi
}

# Prints what to do about a refused login, or about a missing one.
login_hint() {
  if [ -n "$login_place" ]; then
    printf '%s' "The login from ${login_place#"$work/"} was used. Log in again with an account that may write $destination:"
  else
    printf '%s' "No login for $registry was found in $(login_places | sed "s:^$work/::" | tr '\n' ' ' | sed 's/ $//; s/ /, /g'). Log in:"
  fi
  printf '%s' " REGISTRY_USER and REGISTRY_PASSWORD in the environment, or docker login $registry, or podman login $registry."
}

# ---- Certificates ------------------------------------------------------------------------------------------------------

# Prints the certificate of the registry's own authority, where skopeo, podman or docker would find it.
own_authority() {
  for authority in "${HOME-}/.config/containers/certs.d/$registry/ca.crt" "/etc/docker/certs.d/$registry/ca.crt" \
    "/etc/containers/certs.d/$registry/ca.crt"; do
    [ ! -f "$authority" ] || { printf '%s' "$authority" && return; }
  done
}

# Crane, oras and curl do not look there. They read the file that SSL_CERT_FILE names, in place of the system's.
trust_authority() {
  authority=$(own_authority)
  [ -n "$authority" ] || return 0
  for others in "$1" "${SSL_CERT_FILE-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem \
    /etc/ssl/cert.pem; do
    if [ -f "$others" ]; then
      cat "$others"
      break
    fi
  done >"$work/authorities.pem"
  { echo && cat "$authority"; } >>"$work/authorities.pem" || exit 1
  SSL_CERT_FILE=$work/authorities.pem
  export SSL_CERT_FILE
  unset CURL_CA_BUNDLE
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
  if [ -z "${CURL_CA_BUNDLE-}" ] && [ -n "${SSL_CERT_FILE-}" ]; then
    # some versions of curl do not read SSL_CERT_FILE if SSL_CERT_DIR is set, too
    set -- --cacert "$SSL_CERT_FILE" ${SSL_CERT_DIR:+--capath "$SSL_CERT_DIR"} "$@"
  fi
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
  if [ "$status" = 401 ] && log_in; then
    run_curl "$authorization" "$@" --url "$address"
  elif [ "$status" = 403 ] && [ -z "$authorization" ] && [ -n "$basic" ]; then
    # some registries do not ask for a login
    authorization="Basic $basic"
    run_curl "$authorization" "$@" --url "$address"
  fi
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
    *)
      printf 'status code %s\n' "$status" | cat - "$work/body" >"$work/errors"
      leave_immutable
      hint=$(refusal_hint)
      give_up "$1: the registry answered $status$(body_start)" ${hint:+"$hint"}
      ;;
  esac
}

# Whether a program's errors say that something does not exist. A digest may have any number, such as 404.
says_missing() { grep -qiE 'not found|(blob|manifest|name)[._ ]unknown|status code 404' "$work/errors"; }

# Whether they say that the registry does not let a tag be moved.
says_immutable() { grep -qiE 'immutab|TAG_INVALID|cannot be overwritten|not allow (updating|overwriting|redeploy)|is locked' "$work/errors"; }

# Ends with 3 if an artifact was refused for its tag alone: what is there stays.
leave_immutable() {
  [ -z "$subject" ] || ! says_immutable || exit 3
}

# Prints what to do about a refusal, by the errors of a program.
refusal_hint() {
  if says_immutable; then
    printf '%s' "The registry does not let a tag be moved, and $destination:$tag is another image than the kit's. Nothing of it was changed." \
      " Load into another path, or let the maker of the kit give it another version."
  elif grep -qiE '(status code|StatusCode):? *413|too large' "$work/errors"; then
    most=$(largest_blob)
    printf '%s' "Something in front of the registry limits the size of a request, and the largest layer of $image has $most bytes. Raise the" \
      " limit: client_max_body_size 0; in nginx, the annotation nginx.ingress.kubernetes.io/proxy-body-size: \"0\" of an Ingress," \
      " LimitRequestBody 0 in Apache."
  elif grep -qiE '(status code|StatusCode):? *40[13]|unauthorized|authentication required|denied|forbidden' "$work/errors"; then
    login_hint
  elif [ -n "$subject" ]; then
    printf '%s' "The images are there. If $registry accepts no signatures of images, run it again with --without-signatures."
  fi
}

# Prints the size of the largest blob of the image, in bytes.
largest_blob() {
  while read -r manifest _ <&4; do
    json_values <"$(file_of "$manifest")" | awk -F '\t' '$1 ~ /^layers [0-9]+ size$/ { print $2 }'
  done 4<"$work/manifests" | sort -n | awk 'END { print $1 }'
}

body_start() { head -c 300 "$work/body" | tr '\n' ' ' | sed 's/^./: &/'; }

# ---- curl alone: an image ----------------------------------------------------------------------------------------------

# Whether the registry has a blob. Fails with 1 if it has not, with 2 if it does not tell, and with 3 if something else answers in its
# place. As provider/publishing/images/registry/blobs.ts: some registries refuse HEAD, and the first byte proves more than a 404 to HEAD.
has_blob_with_curl() {
  ask_for_blob HEAD "$1"
  case $status in 2??) ;; *) ask_for_blob GET "$1" --range 0-0 --retry 0 ;; esac
  case $status in
    2?? | 416) return 0 ;; # 416: an empty blob
    404) return 1 ;;
    *) if grep -qF "$not_the_registry" "$work/errors"; then return 3; else return 2; fi ;;
  esac
}

# Before a blob is sent, a 404 to HEAD is enough.
has_blob() {
  ask_for_blob HEAD "$1"
  case $status in
    2??) return 0 ;;
    404) return 1 ;;
  esac
  has_blob_with_curl "$1" && return
  [ $? = 1 ] || refused "Cannot check whether $repository has $1"
  return 1
}

not_the_registry='something else answered in place of the registry'

# Whether the last reply is a page, such as a login, in place of a blob. As provider/publishing/images/registry/blobs.ts: one that names the digest is
# of the blob, whatever its type.
is_page() {
  case $(header content-type) in [Tt][Ee][Xx][Tt]/[Hh][Tt][Mm][Ll]*) [ "$(header docker-content-digest)" != "$1" ] ;; *) return 1 ;; esac
}

# Takes a method, a digest and more arguments for curl. Sets $status: 000 if a page answers in place of the registry.
ask_for_blob() {
  method=$1 blob=$2 blob_address=$api/$repository/blobs/$2
  shift 2
  request "$method" "$blob_address" "$@"
  case $status in
    3??) # where its store is
      locate
      request "$method" "$location" "$@"
      location=
      # a store may refuse what the registry has signed for another method: the registry says by redirecting that it has the blob
      case $method:$status in GET:404 | HEAD:* | *:000) ;; *) status=200 ;; esac
      ;;
  esac
  # a whole blob in place of its first byte is cut off
  case $method$status:$(head -n 1 "$work/headers") in GET000:*' 200'*) status=200 ;; esac
  case $status in
    2??) ! is_page "$blob" || { status=000 && echo "$not_the_registry" >"$work/errors"; } ;;
  esac
}

# Ends unless the kit has a blob.
require_blob() {
  [ ! -f "$(file_of "$1")" ] || return 0
  kits=$(earlier_kits "$1")
  [ -n "$kits" ] || lacking "$1"
  give_up "$1 of $image is not in $destination, and this kit does not contain it." \
    "Load the kit of version $kits into $target first, then this one again."
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
  require_blob "$1"
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

# Prints the scheme and the host of an address, in lower case and without the port that the scheme has anyway.
origin_of() {
  printf '%s' "$1" | tr '[:upper:]' '[:lower:]' | sed -e 's|^\([a-z]*://[^/?#]*\).*|\1|' -e '/^https:/s/:443$//' -e '/^http:/s/:80$//'
}

# Prints the host of an address without its port.
host_of() { origin_of "$1" | sed -e 's|^[a-z]*://||' -e 's/:[0-9]*$//'; }

# Sets $location to where the last reply leads, which may be relative to its $address. As provider/publishing/images/registry/client.ts: from https
# it never leads to http. A proxy may add TLS, which the registry behind it does not know; then the same host is meant.
locate() {
  location=$(header location)
  case $location in
    [Hh][Tt][Tt][Pp]://* | [Hh][Tt][Tt][Pp][Ss]://*) ;;
    //*) location=${address%%://*}:$location ;;
    /*) location=$(printf '%s' "$address" | sed 's|^\([A-Za-z]*://[^/?#]*\).*|\1|')$location ;;
    '' | *[!A-Za-z0-9._~/?%\&=+,\;@!\$:-]* | *:*) give_up "$registry sent no usable Location header." "Report it to the registry's operator." ;;
    *) location=${address%%\?*} && location=${location%/*}/$(header location) ;;
  esac
  case $scheme:$location in
    https:[Hh][Tt][Tt][Pp]://*)
      [ "$(host_of "$location")" = "$(host_of "$origin")" ] || give_up \
        "$registry leads from https: to http: at $(host_of "$location"), which is not followed: anybody on the way could read it." \
        "Configure the registry so that its addresses begin with https:. Or use another program: --with skopeo."
      location=$origin$(path_of "$location")
      ;;
    *) [ "$(origin_of "$location")" != "$(origin_of "$origin")" ] || location=$origin$(path_of "$location") ;;
  esac
}

# Prints what follows the host in an address.
path_of() { printf '%s' "$1" | sed 's|^[A-Za-z]*://[^/?#]*||'; }

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
  [ "$tag" = "$digest" ] || [ -n "$is_named" ] || place_manifest "$tag" "$media_type" "$digest"
}
complete_with_curl() { push_with_curl; }

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
push_with_skopeo() { copy_with_skopeo "$tag"; }
copy_with_skopeo() {
  rm -rf "$work/folder"
  mkdir "$work/folder" && printf 'Directory Transport Version: 1.1\n' >"$work/folder/version" || exit 1
  ln -s "$(file_of "$digest")" "$work/folder/manifest.json"
  while read -r manifest _ <&4; do
    ln -s "$(file_of "$manifest")" "$work/folder/${manifest#sha256:}.manifest.json"
    for blob in $(list_blobs "$manifest"); do ln -sf "$(file_of "$blob")" "$work/folder/${blob#sha256:}"; done
  done 4<"$work/manifests"
  # the policy is about signatures of images; verify.sh has checked who made the kit
  skopeo --insecure-policy copy --all ${plain_http:+--dest-tls-verify=false} "dir:$work/folder" \
    "docker://$(named "$1")"
}
complete_with_skopeo() { copy_with_skopeo "$digest"; } # it asks for every blob, and writes every manifest
read_with_skopeo() { skopeo --insecure-policy inspect --raw ${plain_http:+--tls-verify=false} "docker://$(named "$1")" 2>"$work/errors"; }
# It has no command that asks for a blob: this one begins to read it, and stops after 64 KiB.
has_blob_with_skopeo() {
  rm -rf "$work/part"
  mkdir "$work/part" || exit 1
  if (cd "$work/part" && ulimit -f 2048 && trap '' XFSZ &&
    exec skopeo --insecure-policy layers ${plain_http:+--tls-verify=false} "docker://$(named "$2")" "$1" >/dev/null 2>"$work/errors"); then
    # it does not verify what it has read
    part=$(find "$work/part" -type f -name "${1#sha256:}")
    begins_blob "$1" <"${part:-/dev/null}"
    return
  fi
  # nothing is left of what it read: 1 MiB, in some shells 2. No smaller blob is as large, and hardly a page
  if grep -q 'file too large' "$work/errors"; then
    part=$(file_of "$1")
    [ ! -f "$part" ] || [ "$(wc -c <"$part")" -gt 1048576 ] || return 3
    return 0
  fi
  if grep -q 'fetching blob' "$work/errors" && says_missing; then return 1; else return 2; fi
}

# Whether standard input begins as a blob does: as the kit's own; of an earlier kit's, not as a page. Fails with 3 if it has other content.
begins_blob() {
  head -c 64 >"$work/beginning"
  [ -s "$work/beginning" ] || return 1
  if [ -f "$(file_of "$1")" ]; then
    [ "$(head -c 64 "$(file_of "$1")" | sha256_of)" = "$(sha256_of <"$work/beginning")" ] && return
  else
    case $(head -c 1 "$work/beginning" | tr -d '\000') in '<') ;; *) return ;; esac
  fi
  return 3
}

push_with_crane() {
  make_layout
  crane push ${plain_http:+--insecure} "$work/layout" "$(named "$tag")"
}
# Crane sends nothing of a manifest that the registry has. It sends the blobs of the same manifest with a line's end, which has another
# digest and no tag: the registry's garbage collection removes that manifest.
complete_with_crane() {
  while read -r manifest media_type <&4; do
    wanted=$(list_lost "$manifest")
    if [ -n "$wanted" ]; then
      { cat "$(file_of "$manifest")" && echo; } >"$work/again" || exit 1
      take_manifest "$work/again"
      wanted="$(list_blobs "$manifest" | head -n 1) $wanted" # and the configuration
      make_layout "$wanted"
      crane push ${plain_http:+--insecure} "$work/layout" "$(named "$digest")" || return
    fi
    reads_back "$manifest" "$manifest" && continue
    digest=$manifest
    make_layout
    crane push ${plain_http:+--insecure} "$work/layout" "$(named "$manifest")" || return
  done 4<"$work/manifests"
}
has_blob_with_crane() {
  crane blob ${plain_http:+--insecure} "$(named "$1")" 2>"$work/errors" | begins_blob "$1"
  case $? in 0) return ;; 3) return 3 ;; esac
  if says_missing; then return 1; else return 2; fi
}
read_with_crane() { crane manifest ${plain_http:+--insecure} "$(named "$1")" 2>"$work/errors"; }

push_with_oras() {
  make_layout
  oras cp --from-oci-layout ${plain_http:+--to-plain-http} "$work/layout@$digest" "$(named "$tag")"
}
# Oras copies nothing of a manifest that the registry has.
complete_with_oras() {
  while read -r manifest type <&4; do
    for blob in $(list_lost "$manifest"); do
      oras blob push ${plain_http:+--plain-http} "$(named "$blob")" "$(file_of "$blob")" || return
    done
    reads_back "$manifest" "$manifest" && continue
    oras manifest push ${plain_http:+--plain-http} --media-type "$type" "$(named "$manifest")" "$(file_of "$manifest")" || return
  done 4<"$work/manifests"
}
has_blob_with_oras() {
  # not its question by HEAD: it takes a page for the blob, and some registries refuse it
  oras blob fetch ${plain_http:+--plain-http} --output - "$(named "$1")" 2>"$work/errors" | begins_blob "$1"
  case $? in 0) return ;; 3) return 3 ;; esac
  if says_missing; then return 1; else return 2; fi
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
complete_with_docker() { push_with_docker; }
has_blob_with_docker() { if command -v curl >/dev/null; then has_blob_with_curl "$1"; else return 2; fi; }
read_with_docker() { docker buildx imagetools inspect --raw "$(named "$1")" 2>"$work/errors"; }

# Prints the reference of a tag or digest in $destination.
named() {
  case $1 in
    sha256:*) printf '%s@%s' "$destination" "$1" ;;
    *) printf '%s:%s' "$destination" "$1" ;;
  esac
}

# Makes an OCI layout with one image, for programs that cannot select one of several. It links to the kit's blobs. Of a manifest that
# this run has made, it has the given blobs, or all.
make_layout() {
  rm -rf "$work/layout"
  mkdir "$work/layout" && cp images/oci-layout "$work/layout/oci-layout" || exit 1
  if [ -f "$work/made/${digest#sha256:}" ]; then
    # not links: crane refuses them there
    mkdir -p "$work/layout/blobs/sha256" || exit 1
    for blob in "$digest" ${1-$(list_blobs "$digest")}; do
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
  if [ -n "$without_signatures" ]; then
    echo "NOT LOADED: the signature of the site's image, its provenance and its SBOM, because of --without-signatures. In $registry, nobody" \
      "can verify who made the site's image: cosign verify fails, and a cluster that admits only signed images refuses it. verify.sh" \
      "checks the kit itself."
    return
  fi
  if [ "$program" = docker ]; then
    if ! command -v curl >/dev/null; then
      echo "NOT LOADED: the signature of the site's image. docker cannot send it: install curl, skopeo, crane or oras, and run it again."
      return
    fi
    program=curl login_of=''
  fi
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
    (load_manifest)
    case $? in
      0) printf '%s %s\n' "$digest" "$media_type" >>"$work/documents" ;;
      3) keep_tag ;;
      *) exit 1 ;;
    esac
  done 3<"$work/artifacts"
  while read -r digest _ subject _ <&3; do
    image=$(awk -v digest="$subject" '$1 == digest { print $3; exit }' "$work/images")
    place_image
    if [ -z "$is_signed" ]; then
      list_referrers
      return
    fi
    echo "The image of the site is signed: cosign verify --key PUBLIC_KEY.pem --insecure-ignore-tlog=true $destination@$subject"
    list_referrers
    return
  done 3<"$work/artifacts"
}

# Says that a tag stays as it is, because the registry does not let it be moved: an earlier run has loaded what is there.
keep_tag() {
  case $tag in
    *.sig)
      read_theirs && is_signed_by_kit && return
      is_signed=''
      echo "NOT LOADED: this kit's signature of $destination@$subject. $registry has other signatures under $tag, and does not let" \
        "a tag be moved. cosign verify fails there with this kit's key: remove the tag, or load into another path."
      ;;
    *.att)
      echo "there already: $destination:$tag. It stays as an earlier run left it, because $registry does not let a tag be moved:" \
        "this kit's provenance and SBOM are not added."
      ;;
    *)
      echo "there already: $destination:sha256-${subject#sha256:}, the list of what refers to the site's image. It stays as an earlier run" \
        "left it, because $registry does not let a tag be moved. cosign does not need it."
      ;;
  esac
}

# Whether $work/theirs has a signature of the kit's own content by the kit's own key. No two signatures of ECDSA are the same: a kit that is
# written again has another one.
is_signed_by_kit() {
  json_values <manifest.json | value_at publicKey | base64 -d >"$work/key.der" 2>/dev/null && [ -s "$work/key.der" ] || return 1
  command -v openssl >/dev/null || return 1
  json_values <"$work/theirs" | elements_of layers digest annotations/dev.cosignproject.cosign/signature >"$work/signatures"
  while read -r payload signature <&5; do
    check_digest "$payload"
    list_blobs "$digest" | grep -qxF "$payload" && [ -f "$(file_of "$payload")" ] || continue
    printf '%s' "$signature" | base64 -d >"$work/signature" 2>/dev/null || continue
    openssl dgst -sha256 -verify "$work/key.der" -keyform DER -signature "$work/signature" "$(file_of "$payload")" >/dev/null 2>&1 && return
  done 5<"$work/signatures"
  return 1
}

# Others may have signed the image, too, and cosign keeps all signatures of an image in one manifest: then a new one has the kit's and
# theirs. Sets $digest to the one that the registry must have.
keep_layers() {
  read_theirs || return 0
  json_elements layers <"$work/theirs" >"$work/layers"
  [ -s "$work/layers" ] || give_up "$destination:$tag is no signature of an image, although its name says so." \
    "Remove this tag from the registry, and run it again."
  json_elements layers <"$(file_of "$digest")" >"$work/ours"
  case $tag in
    *.sig)
      if is_signed_by_kit; then
        take_manifest "$work/theirs"
        return
      fi
      ;;
  esac
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
  says_missing && return 1
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
  digest=sha256:$(sha256_of <"$1")
  mkdir -p "$work/made" && cp "$1" "$work/made/${digest#sha256:}" || exit 1
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
  (place_manifest "$tag" $list_type "$digest")
  case $? in
    0) ;;
    3) tag=- && keep_tag ;;
    *) exit 1 ;;
  esac
}

# ---- Main --------------------------------------------------------------------------------------------------------------

# Whether the registry returns the kit's own bytes for a tag or digest.
reads_back() {
  "read_with_$program" "$1" >"$work/manifest"
  [ "$(sha256_of <"$work/manifest")" = "${2#sha256:}" ]
}

# Whether it does so for all manifests of the image and for its tag, and has all that they name. Sets $is_named if it does so for the
# tag, $other to what it returns changed or not at all, and $lost to the blobs that it lacks.
is_there() {
  is_named='' lost='' other=''
  while read -r manifest _ <&4; do
    [ -n "$other" ] || reads_back "$manifest" "$manifest" || other=$manifest
  done 4<"$work/manifests"
  # a registry that does not answer is not asked again
  [ -z "$other" ] || [ ! -s "$work/errors" ] || says_missing || return 1
  if reads_back "$tag" "$digest"; then is_named=yes; else other=${other:-$tag}; fi
  [ -z "$other" ] || return 1
  while read -r manifest _ <&4; do
    lost="$lost $(list_lost "$manifest")" || exit 1
  done 4<"$work/manifests"
  lost=$(printf '%s\n' $lost)
  [ -z "$lost" ]
}

# Prints the blobs of a manifest that the registry lacks. A registry may lose a blob and keep the manifest.
list_lost() {
  for blob in $(list_blobs "$1" | awk '!seen[$0]++'); do
    "has_blob_with_$program" "$blob" "$1"
    case $? in
      0) ;;
      1) printf '%s\n' "$blob" ;;
      3) give_up "For $blob of $destination, $program got other content, such as the page of a proxy or a login." \
        "Check the way to the registry, and run it again: it is not known whether the registry has it." ;;
      *) # skopeo asks when it sends; docker cannot
        case $program in
          docker) echo "$blob" >>"$work/unchecked" ;;
          skopeo) [ -n "$is_sent" ] || printf '%s\n' "$blob" ;;
          *) give_up "$program cannot tell whether $destination has $blob: $(tr '\n' ' ' <"$work/errors" | head -c 600)" \
            "Without it, no node can pull $image. Try another program: --with curl." ;;
        esac
        ;;
    esac
  done
}

# Runs what sends, shows what it prints, and keeps its errors. curl's requests are part of this script.
send() {
  if [ "$program" = curl ]; then
    "$@" </dev/null
    return
  fi
  rm -f "$work/ended"
  {
    {
      "$@" </dev/null 7>&-
      echo $? >"$work/ended"
    } 2>&1 >&7 | tee "$work/errors" >&2
  } 7>&1
  [ "$(cat "$work/ended" 2>/dev/null)" = 0 ]
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
  use_login
}

# Loads the manifest $digest, and all that it refers to, as $tag.
load_manifest() {
  list_manifests "$digest" "$media_type" >"$work/manifests" || exit 1
  what=$(named "$tag")
  case $tag in sha256:*) pinned=$what ;; *) pinned=$what@$digest ;; esac
  is_sent=''
  if is_there; then
    echo "there already: $pinned"
    record_blobs
    return
  fi
  explain_connection
  echo "loading: $what"
  if [ -z "$is_named" ]; then
    send "push_with_$program" || not_sent
    is_sent=yes
  fi
  is_whole=''
  if is_there; then
    is_whole=yes
  elif [ -n "$is_named" ]; then
    # most programs send nothing of an image that the registry has by name
    for blob in $lost; do
      require_blob "$blob"
      echo "  $destination lacks $blob: sending it again"
    done
    send "complete_with_$program" || not_sent
    is_sent=yes
    if is_there; then is_whole=yes; fi
  fi
  [ -z "$lost" ] || give_up "$what is not whole: the registry has no blob $(printf '%s' "$lost" | tr '\n' ' ')" \
    "Its own store may have lost it: see its log. Or try another program: --with curl."
  [ -n "$is_whole" ] || give_up "$what differs from the kit: the registry returns $other changed, or not at all." \
    "$program may have changed it: try --with curl."
  echo "loaded: $pinned"
  record_blobs
}

# Reports why the program could not send.
not_sent() {
  leave_immutable
  kits=$(earlier_kits)
  [ -z "$kits" ] || set -- "If a blob is missing, load the kit of version $kits into $target first, then this one again."
  hint=$(refusal_hint)
  give_up "$program could not load $what." \
    "${hint:-The registry keeps what has arrived. Run it again to continue, or try another program: --with curl.}" "$@"
}

main() {
  target='' program='' plain_http='' scheme=https without_signatures=''
  usage="usage: sh load.sh REGISTRY/PATH [--with skopeo|crane|oras|curl|docker] [--plain-http] [--without-signatures]"
  while [ $# -gt 0 ]; do
    case $1 in
      --plain-http) plain_http=yes scheme=http ;;
      --without-signatures) without_signatures=yes ;;
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
  authorization='' placed='' login_of='' own_docker_config=${DOCKER_CONFIG-} own_auth_file=${REGISTRY_AUTH_FILE-}
  find_hash
  case $program in
    crane | oras) trust_authority '' ;;
    curl | docker) trust_authority "${CURL_CA_BUNDLE-}" ;;
  esac
  subject='' is_signed=yes is_named='' lost='' is_sent=''
  : >"$work/errors"
  : >"$work/documents"
  echo "Loading with $program into $target"
  echo "The images are for $(platforms): the nodes must be one of these."
  json_values <images/index.json | elements_of manifests digest mediaType annotations/org.opencontainers.image.ref.name artifactType |
    awk '$4 == "-" && $3 !~ /:sha256-[0-9a-f]*\.(sig|att)$/' >"$work/images" # without signatures
  [ -s "$work/images" ] || give_up "The kit has no images."
  while read -r digest media_type image _ <&3; do load_image; done 3<"$work/images"
  load_artifacts
  [ ! -s "$work/unchecked" ] || echo "NOT CHECKED: whether the registry has every layer, which docker cannot tell. Install curl, skopeo, crane or oras, and run it again."
  echo "OK: all images are in $target, with the kit's digests."
}

main "$@"
