#!/bin/sh
# The init container: fetches the bundle of a static export, checks it and unpacks it for nginx.
#
# Runs in busybox ash and in dash, with busybox's or GNU tar and gzip, busybox's or Info-ZIP's unzip, curl, getent and timeout.
# It publishes only a completely checked site: it works in a separate folder, and one rename at the end moves the site to the
# folder that nginx serves.
#
# The link is a secret. The script reads it from a mounted Secret, which the kubelet updates at run time, and passes it to curl through
# standard input. The link is never an argument, an environment variable, a log line or a file. Messages name only its host.
set -u
umask 022
LC_ALL=C
export LC_ALL

# ---- Settings: the chart's values; the shorter times are for tests -----------------------------------------------------

content_id=${CONTENT_ID-}                      # from the pod template: the only content that this pod serves
version=${EXPORT_VERSION-}                     # label of that content, for messages
link_folder=${LINK_FOLDER:-/run/static-export} # the mounted Secret: for each content a file with its link
site_folder=${SITE_FOLDER:-/site}              # nginx serves $site_folder/active
termination_log=${TERMINATION_LOG:-/dev/termination-log}
expected_sha256=${BUNDLE_SHA256-}
allow_http=${ALLOW_HTTP:-false}
certificate_authority=${CERTIFICATE_AUTHORITY-}

time_limit_ms=$((${TIME_LIMIT_SECONDS:-240} * 1000))
connect_timeout_seconds=${CONNECT_TIMEOUT_SECONDS:-10}
idle_timeout_seconds=${IDLE_TIMEOUT_SECONDS:-30}
min_bytes_per_second=${MIN_BYTES_PER_SECOND:-1024}
max_archive_bytes=${MAX_ARCHIVE_BYTES:-536870912}
max_unpacked_bytes=${MAX_UNPACKED_BYTES:-1073741824}
max_entries=${MAX_ENTRIES:-100000}
max_previous_bytes=${MAX_PREVIOUS_BYTES:-0} # of the files that are kept of the version before

# curl reads the proxy of http: links only from the name in small letters
if [ -z "${http_proxy-}" ] && [ -n "${HTTP_PROXY-}" ]; then
  http_proxy=$HTTP_PROXY
  export http_proxy
fi

first_backoff_ms=${FIRST_BACKOFF_MS:-1000}
most_backoff_ms=${MOST_BACKOFF_MS:-15000}
most_retry_after_ms=${MOST_RETRY_AFTER_MS:-60000}
secret_poll_ms=${SECRET_POLL_MS:-2000}      # how often the mounted Secret is read while waiting for another link
refused_retry_ms=${REFUSED_RETRY_MS:-30000} # how often a refused link is tried again
reminder_ms=${REMINDER_MS:-60000}           # how often the log repeats what the script waits for
broken_attempts=3                           # number of broken downloads before the script gives up
max_depth=64                                # nesting of folders: the deepest exports have about ten, and a path has at most 4096 bytes
max_header_lines=200                        # of all replies to one request: stores send about twenty

work=$site_folder/.fetch        # cleared at each start
download=$site_folder/.download # the partial archive; survives the container, not the pod
carriage_return=$(printf '\r')

# ---- Messages -------------------------------------------------------------------------------------------------------------

say() {
  printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1"
}

# The termination message: `kubectl describe pod` shows it after this container ended for any reason.
set_termination_message() {
  printf '%s\n' "$1" 2>/dev/null >"$termination_log" || :
}

# Makes text from the archive or the user safe for one log line.
printable() {
  tr -d '\000-\011\013-\037\177' <<END | head -n 1 | cut -c 1-120
$1
END
}

give_up() {
  say "Giving up: $1"
  set_termination_message "$1"
  exit 1
}

# A failed step sets $reason, and in $problem its kind:
#   unusable     the link cannot be used; another one may
#   refused      the link does not work; a renewed one may
#   unreachable  the network or the server failed; the same link may work later
#   broken       the archive is incomplete or damaged; another attempt may succeed
#   unsafe       the archive is complete and must not be unpacked; a retry would give the same
#   local        a local problem, such as the disk or the time limit
fail() {
  problem=$1 reason=$2
  return 1
}

broken() {
  if time_is_up; then fail local "checking and unpacking the archive took too long"; else fail broken "the archive is broken: $1"; fi
}

unsafe() { fail unsafe "the archive is refused: $1"; }
no_space() { fail local "writing to the disk failed: is it full?"; }

# ---- Time and size -----------------------------------------------------------------------------------------------------

# Milliseconds of a monotonic clock.
now_ms() {
  IFS=' .' read -r seconds hundredths rest </proc/uptime
  echo "$seconds${hundredths}0"
}

time_is_up() { [ "$(now_ms)" -ge "$deadline_ms" ]; }
seconds_of() { printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)); }

# Whole seconds, at least 1: programs interpret 0 as no limit.
seconds_left() {
  if time_is_up; then echo 1; else echo $(((deadline_ms - $(now_ms) + 999) / 1000)); fi
}

# Sleeps, but not past the time limit. There the script ends with the last known reason.
pause() {
  ! time_is_up || give_up_on_time
  left=$((deadline_ms - $(now_ms)))
  [ "$1" -ge "$left" ] || left=$1
  sleep "$(seconds_of "$((left > 0 ? left : 0))")" & # in the background, so that a signal is handled at once
  wait $!
}

give_up_on_time() {
  give_up "Not fetched within $((time_limit_ms / 1000)) s. Last problem: ${reason:-none, the download was slow}"
}

size_of() { stat -c %s "$1" 2>/dev/null || echo 0; }

# In blocks of 512 bytes, as POSIX specifies. The writer of a larger file is stopped, so that a zip bomb cannot fill the disk.
limit_file_size() { ulimit -f $((($1 + 511) / 512)); }

# Runs a program with a limit on the size of its files, and stops it at the time limit. It runs in the background, so that the shell
# handles a signal at once. A background process would have no standard input, so it gets another descriptor.
step() {
  {
    (
      limit_file_size "$1"
      shift
      exec timeout -s KILL "$(seconds_left)" "$@" <&3 3<&-
    ) &
  } 3<&0
  wait $! 2>/dev/null # the shell would print a message about a signal
}

# ---- The link ----------------------------------------------------------------------------------------------------------

read_link() { link=$(cat "$link_folder/$content_id" 2>/dev/null); }

# Parses the link. Refusals do not quote it.
check_link() {
  case $link in
    '') fail unusable "the Secret has no link of this pod's content (version «$version») yet" ;;
    *[[:cntrl:][:space:]]*) fail unusable "The link contains a space or a control character, which is not allowed in a URL" ;;
    [hH][tT][tT][pP][sS]://?*) protocols='=https' port=443 ;;
    [hH][tT][tT][pP]://?*)
      protocols='=http,https' port=80
      [ "$allow_http" = true ] || fail unusable "The link is http:, not https:. To allow it, set fetch.allowHttp to true"
      ;;
    *) fail unusable "The link is not an https: URL" ;;
  esac || return 1
  host=${link#*://}
  host=${host%%[/?#]*}
  case $host in
    *@*) fail unusable "The link contains a user name or password; its permission must be in its path or query" || return 1 ;;
    *]) name=$host ;;
    *:*) name=${host%:*} port=${host##*:} ;;
    *) name=$host ;;
  esac
  problem=unusable reason="The link's host is not a host name"
  case $port in '' | *[!0-9]*) return 1 ;; esac
  case $name in
    \[*]) case $name in *[!][0-9A-Fa-f:.]*) return 1 ;; esac ;;
    '' | *[!A-Za-z0-9._-]* | -* | . | *..) return 1 ;;
  esac
  # curl also accepts 2852039166, 0xa9fea9fe and 169.16689662 as addresses; programs interpret them differently, so they are refused
  # (and no address ends with a dot, as the complete name of a host may)
  ! printf '%s\n' "${name%.}" | grep -Eqi '(^|\.)([0-9]+|0x[0-9a-f]*)$' || printf '%s.\n' "$name" |
    grep -Eq '^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){4}$'
}

# Resolves the addresses that curl may connect to, so that the name cannot resolve to others when curl connects.
look_up() {
  bare_name=${name#\[}
  step 65536 getent ahosts "${bare_name%\]}" >"$work/addresses" 2>/dev/null
  addresses=
  for address in $(awk '!seen[$1]++ { print $1 }' "$work/addresses"); do
    # addresses at which clouds provide credentials: link-local ones, and those of Azure, Alibaba, Oracle, Amazon and Google
    case ${address#::ffff:} in
      169.254.* | ::169.254.* | ::a9fe:* | 64:ff9b::a9fe:* | fe[89ab][0-9a-f]:*) return 1 ;;
      168.63.129.16 | 100.100.100.200 | 192.0.0.192 | fd00:ec2:* | fd20:ce:*) return 1 ;;
      *:*) addresses=$addresses,[$address] ;;
      *) addresses=$addresses,$address ;;
    esac
  done
  addresses=${addresses#,}
}

# ---- Download ----------------------------------------------------------------------------------------------------------
# The files in $download, also while curl runs and after it was killed:
#   incoming, headers  the body of the last reply, and the headers that describe its range
#   part, etag         what was received before, kept only with the strong ETag of the server
#   digests            the SHA-256 sums that the server gave
#   archive            the complete archive
# A reply continues a part only if it has the same strong ETag (RFC 9110, 15.3.7.3). The request contains If-Match (13.1.1), so that
# stores answer 412 if the archive changed: some ignore If-Range and send the middle of another archive.

# Keeps only the needed header fields of the last reply, as they arrive: others, such as Location, could contain a link.
# Prints the result of curl: its exit code, and the target of a redirect.
keep_headers() {
  result='' header_lines=0
  while IFS= read -r line; do
    case $line in
      ':result '*)
        result=${line#:result }
        continue
        ;;
    esac
    header_lines=$((header_lines + 1))
    [ "$header_lines" -le "$max_header_lines" ] || continue
    case $line in
      HTTP/*) printf '%s\n' "$line" >"$download/headers" ;; # discards the headers of a redirect or an interim reply
      *) printf '%s\n' "$line" | grep -Ei '^(etag|retry-after|content-(range|length|digest)|repr-digest|x-amz-checksum-sha256):' \
        >>"$download/headers" ;;
    esac
  done
  echo "$result"
}

header() {
  tr -d '\r' <"$download/headers" | awk -v name="$1:" '
    index(tolower($0), name) == 1 {
      sub(/^[^:]*:[ \t]*/, "")
      sub(/[ \t]+$/, "")
      value = value == "" ? $0 : value ", " $0
    }
    END { print value }'
}

# One request. -q: no .curlrc. The link is quoted for curl's configuration syntax and fed through a here-document, which no
# shell puts into a process argument; --globoff and --path-as-is keep curl from giving a meaning to any character of it.
ask() {
  {
    limit_file_size "$max_archive_bytes"
    [ -z "$certificate_authority" ] || set -- "$@" --cacert "$certificate_authority"
    exec curl -q "$@" --silent --globoff --path-as-is --proto "$protocols" --connect-timeout "$connect_timeout_seconds" \
      --max-time "$(seconds_left)" --speed-limit "$min_bytes_per_second" \
      --speed-time "$idle_timeout_seconds" --max-filesize "$max_archive_bytes" --header 'Accept-Encoding: identity' \
      --user-agent docs-hosting-chart --suppress-connect-headers --dump-header - --output "$download/incoming" \
      --write-out '\n:result %{exitcode} %{ssl_verify_result} %{redirect_url}\n' --config -
  } 2>/dev/null <<END | keep_headers
url = "$(quoted "$link")"
$resume
END
}

quoted() {
  sed 's/[\\"]/\\&/g' <<END
$1
END
}

# Sends the request and follows redirects itself, because each address must be checked before a connection. A subshell, so that it may
# change the link. Returns curl's exit code, or one of these:
elsewhere=101 forbidden=102 expired=103 not_yet_valid=104 other_name=105
follow() (
  protocols_of_link=$protocols
  for _ in 0 1 2 3; do # the link itself, and three redirects
    look_up || exit $forbidden
    # an address that nothing can connect to: only a proxy can resolve a name that has no address here
    set -- --resolve "$name:$port:${addresses:-255.255.255.255}" --resolve "${name%.}:$port:${addresses:-255.255.255.255}"
    case $name in \[*) shift 4 ;; esac
    rm -f "$download/incoming" "$download/headers"
    result=$(ask "$@")
    code=${result%% *} link=${result#* }
    verified=${link%% *} link=${link#* }
    [ "$code" != 60 ] || code=$(certificate_code "$verified")
    if [ -z "$link" ] || [ "$code" != 0 ]; then
      [ "$code,$addresses" != 7, ] || code=6
      exit "${code:-99}" # curl was killed and printed nothing
    fi
    check_link || exit $elsewhere
    [ "$protocols_of_link" != '=https' ] || [ "$protocols" = '=https' ] || exit $elsewhere
  done
  exit $elsewhere
)

# The exit code for a certificate that OpenSSL does not accept, from its result of the verification. curl compares the name itself.
certificate_code() {
  case $1 in
    10) echo $expired ;;
    9) echo $not_yet_valid ;;
    1 | 62 | 64) echo $other_name ;;
    *) echo 60 ;;
  esac
}

# One attempt. Stores the complete archive in $download/archive.
fetch() {
  resume=
  so_far=$(size_of "$download/part")
  if [ "$so_far" -gt 0 ]; then
    resume=$(printf 'range = "%s-"\nheader = "If-Match: %s"' "$so_far" "$(quoted "$(cat "$download/etag")")")
    say "Fetching version «$version» from $host, from byte $so_far on."
  else
    say "Fetching version «$version» from $host."
  fi
  follow &
  wait $!
  receive $?
}

# Interprets the last reply, complete or interrupted, by the exit code of curl.
receive() {
  curl_code=$1
  retry_after_ms=0
  status=$(sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p' "$download/headers" 2>/dev/null)
  # 63: curl's own limit. Otherwise the file size limit stopped curl: with a signal, or with an error if the signal is ignored
  [ "$curl_code" -eq 0 ] || [ "$(size_of "$download/incoming")" -lt "$max_archive_bytes" ] || curl_code=63
  case $curl_code,$status in
    63,*) too_large ;;
    $forbidden,*)
      fail unusable "The link leads to a link-local address or a cloud's metadata service, through $host; these are never contacted"
      ;;
    $elsewhere,*)
      fail refused "$host redirects in a way that is not allowed (at most 3 times, and only to ${protocols#=} URLs)"
      ;;
    *,) fail unreachable "no answer from $host ($(curl_reason))" ;;
    *,200 | *,206) receive_bytes ;;
    *,412 | *,416) restart "$host now has another archive (HTTP $status)" ;;
    *,408 | *,425 | *,429 | *,5??)
      read_retry_after
      fail unreachable "$host answered HTTP $status"
      ;;
    *,404 | *,410) fail refused "the link was refused (HTTP $status): $host has no bundle there, or no longer" ;;
    *,400 | *,401 | *,403) fail refused "the link was refused (HTTP $status): it has probably expired" ;;
    *) fail refused "$host answered HTTP $status, which is no bundle" ;;
  esac
  result=$?
  rm -f "$download/incoming" "$download/headers" # an error page may quote the link
  return $result
}

read_retry_after() {
  seconds=$(header retry-after)
  case $seconds in
    '' | *[!0-9]*) return ;; # a date, or invalid: use the usual pause
    ???????*) seconds=999999 ;;
  esac
  retry_after_ms=$((${seconds#"${seconds%%[!0]*}"}0 * 100))
  [ "$retry_after_ms" -le "$most_retry_after_ms" ] || retry_after_ms=$most_retry_after_ms
}

receive_bytes() {
  etag=$(header etag)
  case $etag in '"'*'"') ;; *) etag= ;; esac # a weak ETag does not identify bytes
  if [ "$status" = 206 ]; then
    continues_part || restart "$host did not continue the download where it was cut off" || return 1
    cat "$download/incoming" 2>/dev/null >>"$download/part" || restart || no_space || return 1
    remember_digests
  else
    forget_part
    remember_digests
    printf '%s\n' "$etag" >"$download/etag"
    mv -f "$download/incoming" "$download/part" 2>/dev/null || : >"$download/part"
    total=$(header content-length)
  fi
  so_far=$(size_of "$download/part")
  [ "$so_far" -le "$max_archive_bytes" ] || too_large || return 1
  case $total in
    "$so_far") curl_code=0 ;; # complete, also if curl was killed since
    '' | *[!0-9]*) ;;         # chunked: curl detects the end
    *) [ "$curl_code" -ne 0 ] || restart "$host sent a different number of bytes than it announced" || return 1 ;;
  esac
  if [ "$curl_code" -eq 0 ]; then
    mv -f "$download/part" "$download/archive"
    return
  fi
  [ -n "$etag" ] || forget_part
  fail unreachable "the download from $host was cut off after $so_far bytes ($(curl_reason))"
}

forget_part() { rm -f "$download/part" "$download/etag" "$download/digests"; }

restart() {
  forget_part
  fail unreachable "${1-}; the download restarts"
}

too_large() {
  forget_part
  fail unsafe "the archive is larger than fetch.maxArchiveBytes ($max_archive_bytes)"
}

# Sets $total to the complete size if this reply continues the part to its end.
continues_part() {
  range=$(header content-range)
  total=${range##*/}
  case $total in '' | 0* | *[!0-9]*) return 1 ;; esac
  [ -s "$download/part" ] && [ -n "$etag" ] && [ "$etag" = "$(cat "$download/etag")" ] &&
    [ "$range" = "bytes $(size_of "$download/part")-$((total - 1))/$total" ]
}

# curl's messages are not used: some quote the link.
curl_reason() {
  case $curl_code in
    5 | 6) echo "the host name was not found" ;;
    7) echo "no connection" ;;
    18 | 52 | 55 | 56 | 92) echo "the connection was closed" ;;
    23) echo "writing to the disk failed, is it full?" ;;
    28) echo "too slow" ;;
    35) echo "the TLS handshake failed" ;;
    60) echo "the server's certificate is not trusted; fetch.certificateAuthority can name another authority" ;;
    "$expired") echo "the server's certificate has expired: renew it there, and check the clock of this node" ;;
    "$not_yet_valid") echo "the server's certificate is not valid yet: check the clock of this node" ;;
    "$other_name") echo "the server's certificate is for another name than $name: the link must have a name of the certificate" ;;
    77) echo "the file of fetch.certificateAuthority cannot be read" ;;
    *) echo "curl ended with $curl_code" ;;
  esac
}

# ---- What the archive should be ----------------------------------------------------------------------------------------

# The SHA-256 sums that the server itself gave, one a line, in hexadecimal. Repr-Digest (RFC 9530) is of the whole archive, also
# in a partial reply; Content-Digest is of what one reply carries, so only a complete reply's counts. A sum with "-" in it is a
# sum of sums, which says nothing about the bytes.
remember_digests() {
  found=$(header repr-digest)
  [ "$status" = 206 ] || found="$found, $(header content-digest), x-amz=:$(header x-amz-checksum-sha256):"
  printf '%s\n' "$found" | tr ',' '\n' |
    sed -n -e 's/^ *sha-256=:\([A-Za-z0-9+/]*=*\):.*$/\1/p' -e 's/^ *x-amz=:\([A-Za-z0-9+/]*=*\):$/\1/p' |
    while read -r encoded; do
      [ -z "$encoded" ] || printf '%s' "$encoded" | base64 -d 2>/dev/null | od -An -v -tx1 | tr -d ' \n' && echo
    done >>"$download/digests"
}

check_digests() {
  sha256=$(cut -c 1-64 "$work/sha256")
  if [ -n "$expected_sha256" ] && [ "$sha256" != "$(printf '%s' "$expected_sha256" | tr 'A-F' 'a-f')" ]; then
    fail broken "the archive's SHA-256 is not the one of fetch.sha256" || return 1
  fi
  for digest in $(cat "$download/digests"); do
    [ ${#digest} -ne 64 ] || [ "$digest" = "$sha256" ] ||
      fail broken "the archive's SHA-256 is not the one that $host announced" || return 1
  done
}

# ---- What is in the archive --------------------------------------------------------------------------------------------

# Detects the format by content, never by name.
format_of() {
  case $(od -An -N4 -tx1 "$1" | tr -d ' \n') in
    1f8b*) echo gzip ;;
    504b03*) echo zip ;;
    *) case $(od -An -j257 -N5 -tx1 "$1" 2>/dev/null | tr -d ' \n') in 7573746172) echo tar ;; esac ;;
  esac
}

# Runs a program that unpacks $archive to standard output, and stores the output in $work/$1, within the limits.
decompress() {
  into=$work/$1
  shift
  most=$((max_unpacked_bytes + max_entries * 1024 + 10240)) # a tar has a header for each entry, and padding
  step "$most" "$@" <"$archive" 2>/dev/null >"$into" && return 0
  if [ "$(size_of "$into")" -ge "$most" ]; then
    unsafe "it unpacks to more than fetch.maxUnpackedBytes ($max_unpacked_bytes)"
  else
    broken "its compression does not hold (cut off, damaged, encrypted, or followed by something else)"
  fi
}

# Writes the names of the archive's entries to $work/names, one per line, folders with a slash at the end, and sets $files to the number
# of files. Nothing is unpacked before check_names has checked them.
list_entries() {
  # some servers compress a compressed archive again, so there may be two layers
  for layer in outer inner; do
    [ "$(format_of "$archive")" = gzip ] || break
    decompress $layer gzip -dc || return 1
    archive=$work/$layer
    [ $layer = outer ] || rm -f "$work/outer"
  done
  format=$(format_of "$archive")
  case $format in
    tar) list_tar ;;
    zip) list_zip ;;
    *) broken "it is no tar.gz, tar or zip, rather perhaps a web page" ;;
  esac
}

# Refuses everything except regular files, folders, and hard links to earlier files, which are copies of them. Names come from a listing
# that contains only names. Types are the first letter of the long listing, whose other columns the archive controls: `unpack` checks again
# where links lead.
list_tar() {
  # without its end mark (two empty blocks) a tar was cut off, even if between two entries
  [ "$(tail -c 1024 "$archive" | tr -d '\0' | wc -c)" -eq 0 ] && [ "$(size_of "$archive")" -ge 1024 ] ||
    broken "it has no end" || return 1
  # GNU tar needs an option to list names unchanged. busybox lists them unchanged, except that it removes "/" and "..", with a message
  # on standard error
  case $(tar --version 2>&1 | head -n 1) in
    *GNU*) arrow='link to' && set -- --quoting-style=literal --absolute-names ;;
    *) arrow='->' && set -- ;; # busybox lists a hard link as a file, but with the arrow
  esac
  {
    step $((max_entries * 1200)) tar "$@" -tf "$archive" >"$work/names" 2>"$work/words" &&
      step $((max_entries * 1200)) tar "$@" -tvf "$archive" >"$work/entries" 2>/dev/null
  } || broken "it cannot be listed to its end" || return 1
  found=$(awk -v arrow=" $arrow " '
    function refuse(why) { print why; exit }
    function path(name) { sub(/^(\.\/+)+/, "", name); return name }
    NR == FNR { names[FNR] = $0; next }
    /^l/ { refuse("it contains a symbolic link: pack with `tar -h`, or `zip -r` without `-y`") }
    !/^[-dh][-r][-w][-xsS][-r][-w][-xsS][-r][-w][-xtT] / { refuse("it holds something that is neither a file nor a folder") }
    /^d/ { next }
    {
      name = names[FNR]
      at = /^h/ || arrow == " -> " ? index($0, " " name arrow) : 0
      if (at && !(path(substr($0, at + length(" " name arrow))) in files) || !at && /^h/)
        refuse("it contains a hard link to something that is no earlier file in it")
      files[path(name)]
    }' "$work/names" "$work/entries")
  [ -z "$found" ] || unsafe "$found" || return 1
  files=$(grep -c '^[-h]' "$work/entries") || files=0
}

# Links are visible only after unzip has created them. It creates them last, so that nothing is written through a link.
list_zip() {
  decompress contents unzip -p "$archive" || return 1
  rm -f "$work/contents"
  step $((max_entries * 1200)) unzip -l "$archive" >"$work/entries" 2>"$work/words" || broken "it cannot be listed to its end" || return 1
  awk '/^ ?-----/ { inside = !inside; next }
    inside { if (!sub(/^ *[0-9]+ +[0-9-]+ [0-9:]+   /, "")) $0 = "/" $0; print }' "$work/entries" >"$work/names"
  files=$(grep -vc '/$' "$work/names") || files=0
}

# Refuses unsafe names, and more files and folders than fetch.maxEntries. Folders that occur only in names count, too. Names of what is not
# served must only stay in the folder. Writes the folders to $work/folders.
check_names() {
  ! grep -qi 'removing leading' "$work/words" || unsafe "an entry's name leads outside its folder" || return 1
  : >"$work/folders"
  found=$(awk -v most="$max_entries" -v deepest="$max_depth" -v folders="$work/folders" '
    function refuse(why) { print why; exit }
    # as in the provider (archive/unpublished.ts)
    function unpublished(name, folder, names, count, at) {
      sub(/^(\.\/+)+/, "", name)
      folder = sub(/\/+$/, "", name)
      count = split(name, names, "/")
      for (at = 1; at <= count; at++) {
        if (names[at] ~ /^(\.git|\.hg|\.svn|\.bzr|\.jj|\.pijul|_darcs)$/) return 1
        if ((at < count || folder) && names[at] ~ /^(__MACOSX|\.AppleDouble|\.Spotlight-V100|\.Trashes|\.TemporaryItems|\.fseventsd|@eaDir|\$RECYCLE\.BIN|System Volume Information)$/) return 1
      }
      return !folder && names[count] ~ /^(\._.*|\.DS_Store|\.localized|Icon\r|\.VolumeIcon\.icns|\.apdisk|[Tt]humbs\.db|ehthumbs(_vista)?\.db|[Dd]esktop\.ini|\.directory)$/
    }
    /^\// { refuse("a name begins at the root: " $0) }
    /^[A-Za-z]:\// { refuse("a name begins with a drive: " $0) }
    /(^|\/)\.\.(\/|$)/ { refuse("a name leads outside its folder: " $0) }
    length($0) > 4096 { refuse("a name is too long: " $0) }
    { served = !unpublished($0) }
    served && /[\001-\037\177]/ { refuse("a name contains a control character: " $0) }
    served && /\\/ { refuse("a name contains a backslash: " $0) }
    served && length($0) > 1024 { refuse("a name is too long: " $0) }
    {
      sub(/^(\.\/+)+/, "")
      if (!sub(/\/+$/, "") && $0 != "") {
        made++
        if (!sub(/\/+[^\/]*$/, "")) $0 = ""
      }
      if (served && split($0, path, "/") > deepest) refuse("it holds folders more than " deepest " deep")
      while ($0 != "" && !($0 in seen)) {
        seen[$0]
        made++
        print >folders
        if (!sub(/\/+[^\/]*$/, "")) break
      }
      if (made > most) refuse("it holds more than fetch.maxEntries (" most ") files and folders")
    }' "$work/names")
  [ -z "$found" ] || unsafe "$(printable "$found")"
}

# Unpacks into a staging folder and checks the result again, independent of the listing.
unpack() {
  stage=$work/stage
  rm -rf "$stage" && mkdir "$stage" || return 1
  # folders first, with our own modes: a read-only folder could not receive its files
  sed "s:^:$stage/./:" "$work/folders" | tr '\n' '\0' >"$work/paths"
  step 0 xargs -0 -r mkdir -p <"$work/paths" 2>/dev/null || broken "it cannot be unpacked" || return 1
  case $format in
    tar) set -- tar -xf "$archive" -C "$stage" --no-same-permissions -o ;;
    zip) set -- unzip -q -o "$archive" -d "$stage" ;;
  esac
  step "$max_unpacked_bytes" "$@" >/dev/null 2>"$work/words" || {
    if grep -qi 'no space' "$work/words"; then no_space; else broken "it cannot be unpacked"; fi
    return 1
  }
  step 0 chmod -R a-x,a-st,u=rwX,go=rX "$stage" 2>/dev/null || broken "it cannot be unpacked" || return 1
  # one line per created entry, which the archive does not control: kind and mode, links, bytes, inode
  step $((max_entries * 120 + 4096)) find "$stage" -name '*[[:cntrl:]]*' ! -name "Icon$carriage_return" ! -name '._*' -exec echo name \; \
    -o -exec stat -c '%f %h %s %i' {} + >"$work/made" 2>/dev/null || broken "what it holds cannot be read" || return 1
  found=$(awk -v files="$files" -v most="$max_unpacked_bytes" '
    function refuse(why) { print why; refused = 1; exit }
    /^name/ { refuse("a name contains a control character") }
    /^4/ { next }
    !/^8/ { refuse("it contains a symbolic link, or something else that is neither a file nor a folder") }
    $2 > 1 { links[$4] = $2; copies[$4]++ }
    { count++; bytes += $3 }
    END {
      if (refused) exit
      for (file in links) if (copies[file] != links[file]) outside = 1
      if (outside) print "it contains a hard link to something outside of it"
      else if (count + 0 != files) print "it contains a name twice, or names that this disk cannot tell apart"
      else if (bytes > most) print "it unpacks to more than fetch.maxUnpackedBytes (" most ")"
      else printf "%.0f", bytes
    }' "$work/made")
  case $found in [0-9]*) unpacked_bytes=$found ;; *) unsafe "$found" || return 1 ;; esac
  left_out=
  remove_unpublished || broken "it cannot be unpacked" || return 1
  find_root || unsafe "it has no index.html$(other_start_page)" || return 1
  leave_out_launch_files
  # nginx makes an ETag of a file's time and size. Reproducible packers give all files one time or a few, so that browsers would not
  # notice a change that keeps the size; and the time zone of a zip's times is unknown. So the time is computed from the archive's
  # digest: it is the same in every pod, and differs between versions.
  step 0 find "$root" -type f -exec touch -d "@$((315532800 + 0x$(printf '%s' "$sha256" | cut -c 1-7)))" {} + ||
    broken "it cannot be unpacked"
}

# Removes what is in the archive beside the site, by the rules of the provider (archive/unpublished.ts): folders of version control, and
# metadata of Macs and file managers.
remove_unpublished() {
  remove_found \( -name .git -o -name .hg -o -name .svn -o -name .bzr -o -name .jj -o -name .pijul -o -name _darcs \
    -o -type f ! -path '*/CVS/*/*' \( -path '*/CVS/Entries' -o -path '*/CVS/Entries.*' -o -path '*/CVS/Root' -o -path '*/CVS/Repository' \
    -o -path '*/CVS/Tag' -o -path '*/CVS/Template' -o -path '*/CVS/Notify' -o -path '*/CVS/Baserev' \) \) || return 1
  version_control=$(tr '\0' '\n' <"$work/paths" | sed "s:^$stage/::" | tr '\n' ' ' | sed 's/ $//; s/ /, /g')
  remove_found \( -type d \( -name __MACOSX -o -name .AppleDouble -o -name .Spotlight-V100 -o -name .Trashes -o -name .TemporaryItems \
    -o -name .fseventsd -o -name @eaDir -o -name '$RECYCLE.BIN' -o -name 'System Volume Information' \) \
    -o -type f \( -name '._*' -o -name .DS_Store -o -name .localized -o -name "Icon$carriage_return" -o -name .VolumeIcon.icns \
    -o -name .apdisk -o -name '[Tt]humbs.db' -o -name ehthumbs.db -o -name ehthumbs_vista.db -o -name '[Dd]esktop.ini' -o -name .directory \) \)
}

# Removes what find finds below the stage, and corrects the numbers for the last message. Leaves the paths in $work/paths.
remove_found() {
  step $((max_entries * 4200)) find "$stage" -mindepth 1 "$@" -prune -print0 >"$work/paths" 2>/dev/null || return 1
  step $((max_entries * 24 + 4096)) xargs -0 -r sh -c 'find "$@" -type f -exec stat -c %s {} + && rm -rf "$@"' sh \
    <"$work/paths" >"$work/removed" 2>/dev/null || return 1
  files=$((files - $(wc -l <"$work/removed")))
  unpacked_bytes=$((unpacked_bytes - $(awk '{ bytes += $1 } END { printf "%.0f", bytes }' "$work/removed")))
}

# Where else a start page is, as the end of a message.
other_start_page() {
  other=$(find "$stage" -type f -name index.html 2>/dev/null | awk -F / '{ print NF, $0 }' | sort -n | sed -n '1s/^[0-9]* //p')
  [ -n "$other" ] || return 0
  folder=${other%/*}
  printf ' at its root or in its only folder, only in %s: pack the content of that folder' "$(printable "${folder#"$stage"/}")"
}

# The rules of the two functions below are those of the provider (archive/siteRoot.ts).

# Whether the file name $1 is of a file that starts a site on a reader's own computer.
starts_site() {
  case $1 in
    [Ss]tart* | [Ss]erve* | [Ll]aunch* | [Oo]pen* | [Rr]un* | [Vv]iew* | [Pp]review*) ;;
    *) return 1 ;;
  esac
  case $1 in
    *.command | *.bat | *.cmd | *.sh | *.ps1 | *.desktop | *.js | *.mjs | *.cjs | *.py) ;;
    *) return 1 ;;
  esac
}

leave_out() {
  left_out="$left_out, ${1##*/}"
  files=$((files - 1))
  unpacked_bytes=$((unpacked_bytes - $(size_of "$1")))
  rm -f "$1"
}

# Sets $root to the folder with the start page: the archive's root, the only folder there, or the only folder beside launch files,
# at the root or in the only folder there. Fails if there is none.
find_root() {
  root=$stage
  for level in 1 2; do
    [ ! -f "$root/index.html" ] || return 0
    folder='' beside='' launched=''
    for path in "$root"/* "$root"/.[!.]*; do
      name=${path##*/}
      if [ -d "$path" ]; then
        [ -z "$folder" ] || return 1
        folder=$path
      elif [ -f "$path" ]; then
        beside=yes
        if starts_site "$name"; then
          launched=yes
        else
          case $name in
            README | README.md | README.txt | LICENSE | LICENSE.md | LICENSE.txt | NOTICE | NOTICE.md | NOTICE.txt | package.json) ;;
            *) return 1 ;;
          esac
        fi
      fi
    done
    [ -n "$folder" ] || return 1
    [ -n "$launched" ] || { [ $level = 1 ] && [ -z "$beside" ]; } || return 1
    for path in "$root"/*; do
      [ ! -f "$path" ] || leave_out "$path"
    done
    root=$folder
  done
  [ -f "$root/index.html" ]
}

# Removes the launch files in the site's own folder, and the programs there that they name.
leave_out_launch_files() {
  set --
  for path in "$root"/*.command "$root"/*.bat "$root"/*.cmd; do
    [ ! -f "$path" ] || ! starts_site "${path##*/}" || set -- "$@" "$path"
  done
  [ $# -gt 0 ] || return 0
  : >"$work/left_out"
  for path in "$root"/*.js "$root"/*.mjs "$root"/*.cjs "$root"/*.py; do
    [ -f "$path" ] && grep -lF -e "${path##*/}" "$@" >"$work/naming" 2>/dev/null || continue
    { cat "$work/naming" && printf '%s\n' "$path"; } >>"$work/left_out"
  done
  sort -u "$work/left_out" >"$work/paths"
  while IFS= read -r path; do
    leave_out "$path"
  done <"$work/paths"
}

# Unpacks the archive to $root.
open_archive() {
  archive=$download/archive
  sha256sum <"$archive" >"$work/sha256" & # while another processor decompresses
  summing=$!
  list_entries && check_names
  listed=$?
  wait $summing
  check_digests && [ $listed -eq 0 ] && unpack
}

# Publishes the archive's content to the folder that nginx serves, in one rename.
publish() {
  open_archive || return 1
  [ -z "$version_control" ] || say "Not served, because they are of version control: $(printable "$version_control")."
  [ -z "$left_out" ] || say "Not served, because they only start the site on a reader's own computer: $(printable "${left_out#, }")."
  rm -rf "$site_folder/active.content" "$site_folder/active"
  mv "$root" "$site_folder/active" || no_space || return 1
  printf '%s' "$content_id" >"$site_folder/active.content"
}

# ---- The version before ------------------------------------------------------------------------------------------------

# Pages that were loaded before still name files of the version before. The Secret may tell which one that was, and have its link. The
# files are kept in $site_folder/previous, for nginx to serve those that are named after their content. It is one attempt, because the
# site is complete without it.
keep_previous() (
  previous=$(cat "$link_folder/$content_id.previous" 2>/dev/null)
  case $previous in '' | *[!0-9a-f]*) exit 0 ;; esac
  [ "$max_previous_bytes" -gt 0 ] && [ -s "$link_folder/$previous" ] || exit 0
  content_id=$previous expected_sha256='' version="before «$version»"
  work=$site_folder/.fetch-previous download=$site_folder/.download-previous
  rm -rf "$work" "$download" "$site_folder/previous"
  mkdir -p "$work" "$download" || exit 0
  # no longer than a minute, and no more room than the volume has for a site
  [ $((deadline_ms - $(now_ms))) -lt 60000 ] || deadline_ms=$(($(now_ms) + 60000))
  max_unpacked_bytes=$((max_unpacked_bytes - unpacked_bytes / 2))
  problem=local reason="a step on this node failed"
  if read_link && check_link && fetch && open_archive && drop_all_but_previous; then
    mv "$root" "$site_folder/previous" &&
      say "The version before: $(find "$site_folder/previous" -type f | wc -l) further files stay, for pages that were loaded before."
  else
    say "The files of the version before are not kept: $reason."
  fi
  rm -rf "$work" "$download"
)

# Removes from $root pages, files that the new version has, too, and the largest files beyond fetch.maxPreviousBytes.
drop_all_but_previous() {
  step $((max_entries * 1200)) find "$root" -type f -exec stat -c '%s %n' {} + >"$work/entries" 2>/dev/null || return 1
  sort -n "$work/entries" | {
    total=0
    while IFS= read -r line; do
      file=${line#* } size=${line%% *}
      case $file in
        *.html | *.htm | *.gz) ;;
        *)
          if [ ! -e "$site_folder/active${file#"$root"}" ] && [ $((total + size)) -le "$max_previous_bytes" ]; then
            total=$((total + size))
            continue
          fi
          ;;
      esac
      printf '%s\n' "$file"
    done
  } | tr '\n' '\0' >"$work/paths"
  step 0 xargs -0 -r rm -f <"$work/paths"
}

# ---- The loop ----------------------------------------------------------------------------------------------------------

# Prints a new reason at once, and repeats it from time to time.
remind() {
  [ "$1" != "${reminded_of-}" ] || [ "$(now_ms)" -ge "$next_reminder_ms" ] || return 0
  reminded_of=$1 next_reminder_ms=$(($(now_ms) + reminder_ms))
  say "$1"
  set_termination_message "$1"
}

# Waits until the Secret contains another link, or it is time to try the same one again.
await_other_link() {
  tried_link=$link
  retry_at_ms=$(($(now_ms) + refused_retry_ms))
  while [ "$(now_ms)" -lt "$retry_at_ms" ]; do
    remind "$1"
    pause "$secret_poll_ms"
    read_link
    [ "$link" = "$tried_link" ] || { say "The Secret was renewed: trying its link."; failures=0; return; }
  done
}

back_off() {
  failures=$((failures + 1))
  wait_ms=$most_backoff_ms
  [ "$failures" -gt 10 ] || wait_ms=$((first_backoff_ms << (failures - 1)))
  [ "$wait_ms" -le "$most_backoff_ms" ] || wait_ms=$most_backoff_ms
  # half of the pause is fixed and half is random, so that many pods do not send requests at the same time
  wait_ms=$((wait_ms / 2 + wait_ms * $(od -An -N2 -tu2 /dev/urandom) / 131072))
  [ "$wait_ms" -ge "$retry_after_ms" ] || wait_ms=$retry_after_ms
  say "Attempt $failures: $reason. Next attempt in $(seconds_of "$wait_ms") s."
  set_termination_message "$reason"
  pause "$wait_ms"
}

main() {
  version=$(printable "$version")
  [ -n "$content_id" ] || give_up "CONTENT_ID is not set"
  for program in curl getent timeout; do
    command -v "$program" >/dev/null || give_up "The image has no $program"
  done
  rm -rf "$work"
  # the container restarted in the same pod, for example after a reboot: the unpacked site is complete
  if [ -d "$site_folder/active" ] && [ "$(cat "$site_folder/active.content" 2>/dev/null)" = "$content_id" ]; then
    rm -rf "$download"
    say "Version «$version» is unpacked already: nothing to fetch."
    exit 0
  fi
  reason=
  deadline_ms=$(($(now_ms) + time_limit_ms))
  mkdir -p "$work" "$download" || give_up "The folder for the site cannot be written"
  trap 'rm -rf "$work"; rmdir "$download" 2>/dev/null' EXIT
  trap 'exit 143' TERM

  failures=0 broken_count=0
  # the files of a killed container are the same as after an interrupted download
  host="the store"
  [ ! -f "$download/headers" ] || receive 18
  while :; do
    read_link
    problem=local reason="a step on this node failed: is its disk full?" # unless a more precise reason follows
    if check_link && { [ -f "$download/archive" ] || fetch; } && publish; then
      say "Serving version «$version»: $files files, $unpacked_bytes bytes, SHA-256 $sha256."
      set_termination_message "Serving version «$version», fetched from $host."
      rm -rf "$download"
      keep_previous &
      wait $!
      exit 0
    fi
    rm -rf "$work" && mkdir "$work"
    case $problem in broken | unsafe) rm -f "$download"/* ;; esac
    ! time_is_up || give_up_on_time
    case $problem in
      refused | unusable)
        advice="$reason."
        [ -n "$link" ] || advice="Waiting for the Secret: it ${reason#the Secret }."
        [ "$problem" = unusable ] || advice="$reason. Run \`pulumi up\`: it renews the link, and this pod then continues by itself."
        await_other_link "$advice"
        ;;
      unsafe)
        give_up "Not unpacked: $reason. Publish another version. Pods of the previous version continue to serve."
        ;;
      broken)
        broken_count=$((broken_count + 1))
        say "Not unpacked: $reason."
        if [ "$broken_count" -ge "$broken_attempts" ]; then
          give_up "Not unpacked in $broken_count attempts: $reason. Publish another version. Pods of the previous version continue to serve."
        fi
        back_off
        ;;
      *) back_off ;;
    esac
  done
}

main
