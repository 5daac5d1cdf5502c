#!/bin/sh
# The init container: fetches the bundle of a static export, checks it and unpacks it for nginx.
#
# Runs in busybox ash and in dash, with busybox's or GNU tar and gzip, and with curl. Nothing is served that was not checked
# whole: everything happens in a work folder, and one rename at the end puts the site where nginx looks.
#
# The link is a secret. It comes from a mounted Secret, which the kubelet renews while this runs, and goes to curl through
# standard input: it is never an argument, an environment variable, a line of the log or a file. Only its host is ever named.
set -u
umask 022
LC_ALL=C
export LC_ALL

# ---- Settings: the chart's values; the shorter times are for tests -----------------------------------------------------

version=${EXPORT_VERSION-}                     # of this pod's template; may be empty
link_folder=${LINK_FOLDER:-/run/static-export} # the mounted Secret: bundleUrl, version
site_folder=${SITE_FOLDER:-/site}              # nginx serves $site_folder/active
cache_folder=${CACHE_FOLDER-}                  # empty: nothing is kept
cache_versions=${CACHE_VERSIONS:-2}
scratch_folder=${SCRATCH_FOLDER:-/tmp}
termination_log=${TERMINATION_LOG:-/dev/termination-log}
expected_sha256=${BUNDLE_SHA256-}
allow_http=${ALLOW_HTTP:-false}
certificate_authority=${CERTIFICATE_AUTHORITY-}

time_limit_ms=$((${TIME_LIMIT_SECONDS:-240} * 1000))
version_wait_ms=$((${VERSION_WAIT_SECONDS:-90} * 1000))
fallback_after_ms=$((${FALLBACK_AFTER_SECONDS:-30} * 1000))
connect_timeout_seconds=${CONNECT_TIMEOUT_SECONDS:-10}
idle_timeout_seconds=${IDLE_TIMEOUT_SECONDS:-30}
min_bytes_per_second=${MIN_BYTES_PER_SECOND:-1024}
max_archive_bytes=${MAX_ARCHIVE_BYTES:-536870912}
max_unpacked_bytes=${MAX_UNPACKED_BYTES:-1073741824}
max_entries=${MAX_ENTRIES:-100000}

first_backoff_ms=${FIRST_BACKOFF_MS:-1000}
most_backoff_ms=${MOST_BACKOFF_MS:-15000}
most_retry_after_ms=${MOST_RETRY_AFTER_MS:-60000}
secret_poll_ms=${SECRET_POLL_MS:-2000}    # how often the mounted Secret is read while waiting for another one
refused_retry_ms=${REFUSED_RETRY_MS:-30000} # how often a refused link is tried again all the same
first_reminder_ms=${FIRST_REMINDER_MS:-15000} # doubles each time
broken_attempts=3                          # downloads that arrive broken before this gives up

work=$site_folder/.fetch

# ---- Words -------------------------------------------------------------------------------------------------------------

say() {
  printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1"
}

# The termination message: `kubectl describe pod` shows it when this container has ended, however it ended.
leave_word() {
  printf '%s\n' "$1" 2>/dev/null >"$termination_log" || :
}

# Text of the archive's or the user's making, fit for one line of a log.
printable() {
  tr -d '\000-\011\013-\037\177' <<END | head -n 1 | cut -c 1-120
$1
END
}

give_up() {
  say "Giving up: $1"
  leave_word "$1"
  exit 1
}

# ---- Time --------------------------------------------------------------------------------------------------------------

# Milliseconds of a clock that nobody sets.
now_ms() {
  IFS=' .' read -r seconds hundredths rest </proc/uptime
  echo "$seconds${hundredths}0"
}

remaining_ms() {
  echo $((deadline_ms - $(now_ms)))
}

seconds_of() {
  printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

# Runs in the background so that a signal is heeded at once.
in_background() {
  "$@" &
  wait $!
}

# Sleeps, but not past the time limit, at which this ends with the reason that is known by then.
pause() {
  left=$(remaining_ms)
  [ "$left" -gt 0 ] || give_up_on_time
  [ "$1" -lt "$left" ] && left=$1
  in_background sleep "$(seconds_of "$left")"
}

give_up_on_time() {
  use_kept_copy && exit 0
  give_up "Not fetched within $((time_limit_ms / 1000)) s. Last problem: ${reason:-none, it was just slow}"
}

# A limit of nothing would mean no limit to curl.
at_least_1000() {
  if [ "$1" -lt 1000 ]; then echo 1000; else echo "$1"; fi
}

# Half of it is certain, half is chance, so that many pods do not ask at the same moments.
jittered() {
  chance=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
  echo $(($1 / 2 + $1 * chance / 131072))
}

# ---- The mounted Secret ------------------------------------------------------------------------------------------------

# Reads link and version of the same state of the Secret: the kubelet may exchange it in between.
read_secret() {
  for again in 1 2 3; do
    offered_version=$(cat "$link_folder/version" 2>/dev/null)
    link=$(cat "$link_folder/bundleUrl" 2>/dev/null)
    [ "$offered_version" = "$(cat "$link_folder/version" 2>/dev/null)" ] && break
  done
}

# Says in $reason what is wrong with the link, without a letter of it.
check_link() {
  case $link in
    '') reason="The Secret holds no link (staticExport.bundleUrl is empty)" && return 1 ;;
    *[[:cntrl:][:space:]]*) reason="The link holds a space or a control character, which no URL can" && return 1 ;;
    [hH][tT][tT][pP][sS]://?*) protocols='=https' ;;
    [hH][tT][tT][pP]://?*)
      protocols='=http,https'
      if [ "$allow_http" != true ]; then
        reason="The link is http:, not https:. If that is meant, set fetch.allowHttp to true" && return 1
      fi
      ;;
    *) reason="The link is not an https: URL" && return 1 ;;
  esac
  host=${link#*://}
  host=${host%%[/?#]*}
  case $host in
    *@*) host='' reason="The link holds a user name or password; its permission must be in its path or query" && return 1 ;;
    *[!A-Za-z0-9.:_\[\]-]* | '') host='' reason="The link's host is not a host name" && return 1 ;;
  esac
}

# ---- Download ----------------------------------------------------------------------------------------------------------
# $work/part holds what came of an archive that was cut off; it is only continued when the server gave it a strong ETag, and
# If-Range then makes the server send all of a changed archive: two versions are never spliced.

# A header of the last reply; the dump also has those of redirects and interim replies.
header() {
  tr -d '\r' <"$scratch/headers" | awk -v name="$1" '
    /^HTTP\// { value = "" }
    { colon = index($0, ":") }
    colon && tolower(substr($0, 1, colon - 1)) == name {
      field = substr($0, colon + 1)
      gsub(/^[ \t]+|[ \t]+$/, "", field)
      value = value == "" ? field : value ", " field
    }
    END { print value }'
}

size_of() {
  stat -c %s "$1" 2>/dev/null || echo 0
}

# In blocks of 512 bytes, as POSIX has it. A file that grows beyond stops its writer: no bomb fills the disk.
limit_file_size() {
  ulimit -f $((($1 + 511) / 512))
}

# -q: no .curlrc. The link is quoted for curl's configuration syntax and fed through a here-document, which no shell puts
# into a process argument; --globoff and --path-as-is keep curl from giving a meaning to any character of it.
run_curl() {
  quoted=$(sed 's/[\\"]/\\&/g' <<END
$link
END
  )
  resume=
  if [ -s "$work/part" ]; then
    resume=$(printf 'range = "%s-"\nheader = "If-Range: %s"' "$(size_of "$work/part")" "$(quote_etag)")
  fi
  rm -f "$work/incoming" "$scratch/headers"
  : >"$scratch/headers"
  (
    limit_file_size "$max_archive_bytes"
    [ -z "$certificate_authority" ] || set -- --cacert "$certificate_authority"
    exec curl -q "$@" --silent --globoff --path-as-is --location --max-redirs 3 --proto "$protocols" \
      --proto-redir "$protocols" --connect-timeout "$connect_timeout_seconds" \
      --max-time "$(seconds_of "$(at_least_1000 "$(remaining_ms)")")" --speed-limit "$min_bytes_per_second" \
      --speed-time "$idle_timeout_seconds" --max-filesize "$max_archive_bytes" --header 'Accept-Encoding: identity' \
      --user-agent docs-hosting-chart --dump-header "$scratch/headers" --output "$work/incoming" \
      --write-out '%{http_code}' --config -
  ) >"$scratch/status" 2>/dev/null <<END &
url = "$quoted"
$resume
END
  wait $! 2>/dev/null # a shell would tell of a signal
  curl_code=$?
  quoted=
  status=$(cat "$scratch/status")
}

quote_etag() {
  printf '%s' "$part_etag" | sed 's/[\\"]/\\&/g'
}

forget_part() {
  rm -f "$work/part"
  part_etag=
}

# One attempt. Leaves the whole archive in $work/archive, or says in $problem what went wrong and in $reason why:
#   refused      the link does not work; another one may
#   unreachable  the way or the server failed; the same link may work later
#   broken       what came is no whole archive
#   unsafe       what came is whole and must not be unpacked; asking again would bring the same
#   local        something here failed, such as the disk
download() {
  retry_after_ms=0
  run_curl
  received=$(size_of "$work/incoming")
  # 63: curl's own limit; otherwise the limit on files has ended it, by a signal or, where that is ignored, by an error
  if [ "$curl_code" -eq 63 ] || { [ "$curl_code" -ne 0 ] && [ "$received" -ge "$max_archive_bytes" ]; }; then
    rm -f "$work/incoming" "$scratch/headers"
    too_large
    return 1
  fi
  case $status in
    200 | 206) receive ;;
    416)
      forget_part
      problem=unreachable reason="$host would not continue the download; it starts anew"
      return 1
      ;;
    408 | 425 | 429 | 5??)
      rm -f "$work/incoming" # an error page may quote the link
      read_retry_after
      problem=unreachable reason="$host answered HTTP $status"
      return 1
      ;;
    000 | '') not_received ;;
    404 | 410)
      problem=refused
      reason="the link was refused (HTTP $status): $host has no bundle there, or no longer"
      ;;
    400 | 401 | 403)
      problem=refused
      reason="the link was refused (HTTP $status): it has probably expired"
      ;;
    *)
      problem=refused
      reason="$host answered HTTP $status, which is no bundle"
      case $curl_code in
        1 | 47) reason="$host redirects, and where to is not allowed (at most 3 times, and only to ${protocols#=} URLs)" ;;
      esac
      ;;
  esac
  result=$?
  case $status in 200 | 206 | 000 | '') return $result ;; esac
  rm -f "$work/incoming" "$scratch/headers"
  return 1
}

read_retry_after() {
  seconds=$(header retry-after)
  case $seconds in
    '' | *[!0-9]*) return ;; # a date, or nonsense: the usual wait will do
    ???????*) seconds=999999 ;;
  esac
  retry_after_ms=$((${seconds#"${seconds%%[!0]*}"}0 * 100))
  [ "$retry_after_ms" -le "$most_retry_after_ms" ] || retry_after_ms=$most_retry_after_ms
}

# What to make of a body, whole or cut off.
receive() {
  etag=$(header etag)
  case $etag in '"'*'"') ;; *) etag= ;; esac # a weak one does not stand for the same bytes
  if [ "$status" = 206 ]; then
    total=$(continues_part) || {
      forget_part
      problem=unreachable reason="$host continued the download at another place; it starts anew"
      return 1
    }
    cat "$work/incoming" >>"$work/part" || no_space || return 1
    remember_digests
  else
    forget_part
    digests=
    remember_digests
    mv -f "$work/incoming" "$work/part" 2>/dev/null || : >"$work/part"
    part_etag=$etag
    total=$(header content-length)
  fi
  rm -f "$work/incoming" "$scratch/headers"
  [ "$(size_of "$work/part")" -le "$max_archive_bytes" ] || { too_large; return 1; }
  if [ "$curl_code" -eq 0 ]; then
    case $total in
      '' | *[!0-9]*) ;; # sent in chunks, whose end curl has seen
      *)
        if [ "$(size_of "$work/part")" -ne "$total" ]; then
          forget_part
          problem=unreachable reason="$host sent another number of bytes than it announced"
          return 1
        fi
        ;;
    esac
    mv -f "$work/part" "$work/archive"
    part_etag=
    return 0
  fi
  so_far=$(size_of "$work/part")
  [ -n "$part_etag" ] || forget_part
  curl_reason
  problem=unreachable reason="the download from $host was cut off after $so_far bytes ($reason)"
  return 1
}

too_large() {
  forget_part
  problem=unsafe reason="the archive is larger than fetch.maxArchiveBytes ($max_archive_bytes)"
}

# Prints the total size when this reply continues $work/part.
continues_part() {
  [ -s "$work/part" ] || return 1
  [ -z "$(header etag)" ] || [ "$etag" = "$part_etag" ] || return 1
  range=$(header content-range)
  case $range in "bytes $(size_of "$work/part")-"*/*[0-9]) ;; *) return 1 ;; esac
  total=${range##*/}
  case $total in *[!0-9]*) return 1 ;; esac
  [ $(($(size_of "$work/part") + received)) -le "$total" ] || return 1
  echo "$total"
}

not_received() {
  rm -f "$work/incoming" "$scratch/headers"
  curl_reason
  problem=unreachable reason="no answer from $host ($reason)"
  return 1
}

# curl's own words are not used: some of them quote the link.
curl_reason() {
  case $curl_code in
    3) reason="curl cannot read the link" ;;
    5 | 6) reason="the host name was not found" ;;
    7) reason="no connection" ;;
    18 | 52 | 55 | 56 | 92) reason="the connection was closed" ;;
    23 | 26) reason="writing to the disk failed, is it full?" ;;
    28) reason="too slow" ;;
    35) reason="the TLS handshake failed" ;;
    51 | 60) reason="the server's certificate is not trusted; fetch.certificateAuthority can name another authority" ;;
    77) reason="the file of fetch.certificateAuthority cannot be read" ;;
    126 | 127) give_up "The image has no curl" ;;
    *) reason="curl ended with $curl_code" ;;
  esac
}

no_space() {
  forget_part
  problem=local reason="writing to the disk failed: is it full?"
  return 1
}

# ---- What the archive should be ----------------------------------------------------------------------------------------

# The SHA-256 sums that the server itself gave, one a line, in hexadecimal. Repr-Digest (RFC 9530) is of the whole archive, also
# in a partial reply; Content-Digest is of what one reply carries, so only a complete reply's counts. A sum with "-" in it is a
# sum of sums, which says nothing about the bytes.
remember_digests() {
  found=$(header repr-digest)
  [ "$status" = 206 ] || found="$found, $(header content-digest), x-amz=:$(header x-amz-checksum-sha256):"
  digests="$digests $(printf '%s\n' "$found" | tr ',' '\n' |
    sed -n -e 's/^ *sha-256=:\([A-Za-z0-9+/]*=*\):.*$/\1/p' -e 's/^ *x-amz=:\([A-Za-z0-9+/]*=*\):$/\1/p' |
    while read -r encoded; do
      [ -z "$encoded" ] || printf '%s' "$encoded" | base64 -d 2>/dev/null | od -An -v -tx1 | tr -d ' \n' && echo
    done)"
}

check_digests() {
  sha256=$(sha256sum <"$work/archive" | cut -c 1-64)
  if [ -n "$expected_sha256" ] && [ "$sha256" != "$(printf '%s' "$expected_sha256" | tr 'A-F' 'a-f')" ]; then
    problem=broken reason="the archive's SHA-256 is not the one of fetch.sha256"
    return 1
  fi
  for digest in $1; do
    [ ${#digest} -eq 64 ] && [ "$digest" != "$sha256" ] || continue
    problem=broken reason="the archive's SHA-256 is not the one that $host announced"
    return 1
  done
}

# ---- What is in the archive --------------------------------------------------------------------------------------------

broken() {
  problem=broken reason="the archive is broken: $1"
  return 1
}

unsafe() {
  problem=unsafe reason="the archive is refused: $1"
  return 1
}

# Goes by content, never by name.
format_of() {
  case $(od -An -N6 -tx1 "$1" | tr -d ' \n') in
    '') echo nothing ;;
    1f8b*) echo gzip ;;
    504b03*) echo zip ;;
    fd377a585a00) echo xz ;;
    28b52ffd*) echo zstd ;;
    425a68*) echo bzip2 ;;
    *) case $(od -An -j257 -N5 -tx1 "$1" 2>/dev/null | tr -d ' \n') in
      7573746172) echo tar ;;
      *) echo unknown ;;
    esac ;;
  esac
}

# Leaves a plain tar in $work/tar. Some servers pack once more what is packed already, hence two layers.
decompress() {
  mv -f "$work/archive" "$work/tar" || return 1
  ln -f "$work/tar" "$work/archive" || return 1
  for layer in 1 2; do
    [ "$(format_of "$work/tar")" = gzip ] || break
    most=$((max_unpacked_bytes + max_entries * 1024 + 10240)) # a tar has a header for each entry, and padding
    (
      limit_file_size "$most"
      exec gzip -dc <"$work/tar" >"$work/unzipped"
    ) 2>/dev/null &
    wait $! 2>/dev/null || {
      if [ "$(size_of "$work/unzipped")" -ge "$most" ]; then
        unsafe "it unpacks to more than fetch.maxUnpackedBytes ($max_unpacked_bytes)"
      else
        broken "its compression does not hold (cut off, damaged, or followed by something else)"
      fi
      return 1
    }
    mv -f "$work/unzipped" "$work/tar" || return 1
  done
  format=$(format_of "$work/tar")
  case $format in
    tar) ;;
    nothing) broken "it is empty"; return 1 ;;
    unknown) broken "it is neither a tar nor a tar.gz, rather perhaps a web page"; return 1 ;;
    *) unsafe "it is of format $format; tar.gz and tar can be unpacked here"; return 1 ;;
  esac
  # without its end mark (two empty blocks) a tar was cut off, even if between two entries
  [ "$(tail -c 1024 "$work/tar" | tr -d '\0' | wc -c)" -eq 0 ] && [ "$(size_of "$work/tar")" -ge 1024 ] ||
    broken "it has no end" || return 1
}

# GNU tar must be told to list names as they are; busybox does, except that it silently takes "/" and ".." away, with a word
# on standard error. Both are told by their first lines.
find_tar() {
  case $(tar --version 2>&1 | head -n 1) in
    *GNU*) list_names='--quoting-style=literal --absolute-names' ;;
    *) list_names= ;;
  esac
}

# Lists the whole archive and refuses all but regular files and folders with harmless names. Names are read from a listing
# that has nothing else in it; types are the first letter of the long listing, whose other columns are of the archive's making.
check_entries() {
  # shellcheck disable=SC2086 -- none, or two options
  (
    limit_file_size $((max_entries * 1200))
    tar $list_names -tf - <"$work/tar" >"$work/names" 2>"$work/words" &&
      tar $list_names -tvf - <"$work/tar" >"$work/entries" 2>/dev/null
  ) 2>/dev/null || broken "it cannot be listed to its end" || return 1
  if grep -qi 'removing leading' "$work/words"; then
    unsafe "an entry's name leads outside its folder"
    return 1
  fi
  [ "$(wc -l <"$work/entries")" -le "$max_entries" ] ||
    unsafe "it holds more than fetch.maxEntries ($max_entries) files and folders" || return 1
  # busybox lists a hard link as a file, but with the arrow
  found=$(awk '
    / -> / || / link to / || /^[lh]/ { print "it holds a symbolic or hard link"; exit }
    !/^[-d]/ { print "it holds something that is neither a file nor a folder"; exit }' "$work/entries")
  [ -z "$found" ] || unsafe "$found" || return 1
  found=$(awk '
    function refuse(why) { print why ": " $0; exit }
    /[\001-\037\177]/ { refuse("a name holds a control character") }
    /\\/ { refuse("a name holds a backslash") }
    /^\// { refuse("a name begins at the root") }
    /^[A-Za-z]:/ { refuse("a name begins with a drive") }
    /(^|\/)\.\.(\/|$)/ { refuse("a name leads outside its folder") }
    length($0) > 1024 { refuse("a name is too long") }' "$work/names")
  [ -z "$found" ] || unsafe "$(printable "$found")" || return 1
  files=$(grep -c '^-' "$work/entries") || files=0
}

# Unpacks into a staging folder and looks again at what came of it, whatever the listing said.
unpack() {
  stage=$work/stage
  rm -rf "$stage" && mkdir "$stage" || return 1
  # folders first and with our own modes: those of a read-only folder would keep its files out
  sed -n 's:/[^/]*$::p' "$work/names" | sort -u | sed "s:^:$stage/./:" | tr '\n' '\0' | xargs -0 -r mkdir -p 2>/dev/null
  (
    limit_file_size "$max_unpacked_bytes"
    exec tar -xf - -C "$stage" --no-same-permissions -o <"$work/tar"
  ) >/dev/null 2>"$work/words" &
  wait $! 2>/dev/null || {
    grep -qi 'no space' "$work/words" && no_space && return 1
    broken "it cannot be unpacked"
    return 1
  }
  chmod -R u+rwX "$stage"
  [ -z "$(find "$stage" ! -type f ! -type d | head -n 1)" ] || unsafe "it made something that is neither a file nor a folder" || return 1
  [ -z "$(find "$stage" -type f -links +1 | head -n 1)" ] || unsafe "it made a hard link" || return 1
  [ "$(find "$stage" -type f | wc -l)" -eq "$files" ] ||
    unsafe "it holds a name twice, or names that this disk cannot tell apart" || return 1
  unpacked_bytes=$(find "$stage" -type f -exec stat -c %s {} + | awk '{ sum += $1 } END { printf "%.0f", sum }')
  [ "$unpacked_bytes" -le "$max_unpacked_bytes" ] ||
    unsafe "it unpacks to more than fetch.maxUnpackedBytes ($max_unpacked_bytes)" || return 1
  find "$stage" -type d -exec chmod 0755 {} +
  find "$stage" -type f -exec chmod 0644 {} +
  find_start_page || return 1
  mend_times
}

# The site is what has the start page: the archive's root, or the one folder that everything is in.
find_start_page() {
  root=$stage
  if [ ! -f "$root/index.html" ]; then
    set -- "$stage"/* "$stage"/.[!.]*
    for entry in "$@"; do
      [ -e "$entry" ] || continue
      [ "$root" = "$stage" ] || { root=; break; }
      root=$entry
    done
    [ -n "$root" ] && [ -f "$root/index.html" ] || unsafe "it has no index.html" || return 1
  fi
}

# nginx makes an ETag of a file's time and size. When an archive gives all its files one and the same time, as reproducible
# packers do, an edit that keeps the size would look unchanged to every browser: then the time is made of the archive's digest,
# the same in every pod and another in every version.
mend_times() {
  [ "$(find "$root" -type f -exec stat -c %Y {} + | sort -u | head -n 2 | wc -l)" -le 1 ] || return 0
  find "$root" -type f -exec touch -d "@$((315532800 + 0x$(printf '%s' "$sha256" | cut -c 1-7)))" {} +
}

# ---- The kept copies ---------------------------------------------------------------------------------------------------
# One file per version: v1-<hash of the version>-<SHA-256 of the archive>.bundle, written beside and renamed, so that pods that
# share the folder never see half a file and may write at once. Its time is when it was fetched.

version_key() {
  printf '%s' "$1" | sha256sum | cut -c 1-32
}

keep_copy() {
  [ -n "$cache_folder" ] || return 0
  find "$cache_folder" -name '.incoming.*' -mmin +60 -exec rm -f {} + 2>/dev/null # of pods that were killed
  key=$(version_key "$offered_version")
  copy=$cache_folder/v1-$key-$sha256.bundle
  incoming=$(mktemp "$cache_folder/.incoming.XXXXXX" 2>/dev/null) &&
    cat "$work/archive" 2>/dev/null >"$incoming" && chmod 0644 "$incoming" && mv -f "$incoming" "$copy" || {
    rm -f "$incoming"
    say "Warning: the archive could not be kept in the cache (is it full, or not writable?). It is served all the same."
    return 0
  }
  for other in "$cache_folder/v1-$key"-*.bundle; do
    [ "$other" = "$copy" ] || rm -f "$other"
  done
  # the newest stay, and this one whatever the clock says
  ls -t "$cache_folder"/v1-*.bundle 2>/dev/null | grep -vxF "$copy" | tail -n +"$cache_versions" | while read -r other; do
    rm -f "$other"
  done
  say "Kept a copy in the cache, for pods that start when the link no longer works."
}

# Serves the kept copy of this pod's own version, never of another, or returns 1.
use_kept_copy() {
  [ -n "$cache_folder" ] || return 1
  # without a version a copy cannot be told from what was published later: good enough when nothing can be fetched, but what
  # was fetched and is broken may be newer
  if [ -z "$version" ]; then
    case $problem in broken | unsafe) return 1 ;; esac
  fi
  because=$reason because_problem=$problem
  for copy in $(ls -t "$cache_folder/v1-$(version_key "$version")"-*.bundle 2>/dev/null); do
    fetched=$(date -u -r "$copy" +%Y-%m-%dT%H:%M:%SZ)
    sha256=${copy%.bundle}
    sha256=${sha256##*-}
    rm -f "$work/archive"
    problem=local reason="it could not be read, or there is no room to unpack it"
    if cat "$copy" 2>/dev/null >"$work/archive" && offered_version=$version && check_digests "$sha256" && publish; then
      say "Serving the kept copy of version $(printable "$version"), fetched at $fetched, because $because."
      [ -n "$version" ] || say "Warning: staticExport.version is not set, so this copy may be older than what was published."
      leave_word "Serving the kept copy of version $(printable "$version"), fetched at $fetched, because $because."
      return 0
    fi
    say "Warning: the kept copy of $fetched is of no use: $reason."
    case $problem in broken | unsafe) rm -f "$copy" ;; esac
  done
  reason=$because problem=$because_problem
  return 1
}

# ---- Publishing --------------------------------------------------------------------------------------------------------

# Checks $work/archive and puts its content where nginx looks, in one rename.
publish() {
  decompress && check_entries && unpack || return 1
  rm -rf "$site_folder/active.version" "$site_folder/active"
  mv "$root" "$site_folder/active" || no_space || return 1
  printf '%s' "$offered_version" >"$site_folder/active.version"
}

# ---- The loop ----------------------------------------------------------------------------------------------------------

# Says a reason when it is new, and again at growing intervals.
remind() {
  if [ "$1" != "${reminded_of-}" ]; then
    reminded_of=$1
    reminder_ms=$first_reminder_ms
  elif [ "$(now_ms)" -lt "$next_reminder_ms" ]; then
    return
  fi
  say "$1"
  leave_word "$1"
  next_reminder_ms=$(($(now_ms) + reminder_ms))
  reminder_ms=$((reminder_ms * 2))
}

# Waits until the Secret holds something else, or the same link is worth another try.
await_other_secret() {
  tried_link=$link
  tried_version=$offered_version
  retry_at_ms=$(($(now_ms) + refused_retry_ms))
  while [ "$(now_ms)" -lt "$retry_at_ms" ]; do
    pause "$secret_poll_ms"
    read_secret
    if [ "$link" != "$tried_link" ] || [ "$offered_version" != "$tried_version" ]; then
      say "The Secret was renewed: trying its link."
      failures=0
      return
    fi
    remind "$1"
  done
}

# Whether the Secret is this pod's. Just after a release the mount may still show the one before; and an old pod may be
# restarted when a newer release is half way.
version_is_settled() {
  [ "$offered_version" != "$version" ] || return 0
  [ "$mismatch_accepted" = no ] || return 0
  problem=refused
  reason="the Secret holds the link of version «$(printable "$offered_version")», and this pod is of version «$(printable "$version")»"
  use_kept_copy && exit 0
  : "${mismatch_since_ms:=$(now_ms)}"
  if [ $(($(now_ms) - mismatch_since_ms)) -lt "$version_wait_ms" ]; then
    remind "Waiting for the Secret: $reason."
    return 1
  fi
  mismatch_accepted=yes
  say "WARNING: $reason, also after $((version_wait_ms / 1000)) s. This pod now serves version «$(printable "$offered_version")»."
}

main() {
  scratch=$scratch_folder/fetch-bundle # one name, so that a killed container's is cleared
  rm -rf "$work" "$scratch"
  # the container was started again in the same pod, for instance after a reboot: what it had unpacked is whole
  if [ -n "$version" ] && [ -d "$site_folder/active" ] && [ "$(cat "$site_folder/active.version" 2>/dev/null)" = "$version" ]; then
    say "Version $(printable "$version") is unpacked already: nothing to fetch."
    exit 0
  fi
  reason=
  deadline_ms=$(($(now_ms) + time_limit_ms))
  mkdir -p "$work" || give_up "The folder for the site cannot be written"
  mkdir -m 0700 "$scratch" || give_up "The folder for temporary files cannot be written"
  trap 'rm -rf "$work" "$scratch"' EXIT
  trap 'exit 143' TERM
  trap 'exit 130' INT
  find_tar

  failures=0 broken_count=0 mismatch_accepted=no mismatch_since_ms='' unreachable_since_ms='' part_etag='' digests=''
  while :; do
    read_secret
    version_is_settled || { pause "$secret_poll_ms"; continue; }
    problem=local reason="a step on this node failed: is its disk full?" # unless something better is known below
    if ! check_link; then
      problem=unusable
    elif say "Fetching version «$(printable "$offered_version")» from $host." && download && check_digests "$digests" && publish; then
      say "Serving version «$(printable "$offered_version")»: $files files, $unpacked_bytes bytes, SHA-256 $sha256."
      leave_word "Serving version «$(printable "$offered_version")», fetched from $host."
      keep_copy
      exit 0
    fi
    rm -f "$work/archive" "$work/tar"
    [ "$(remaining_ms)" -gt 0 ] || give_up_on_time
    case $problem in
      refused | unusable)
        unreachable_since_ms=''
        use_kept_copy && exit 0
        advice="$reason."
        [ "$problem" = unusable ] || advice="$reason. Run \`pulumi up\`: it renews the link, and this pod goes on by itself."
        remind "$advice"
        await_other_secret "$advice"
        ;;
      unsafe)
        say "Not unpacked: $reason."
        use_kept_copy && exit 0
        give_up "Not unpacked: $reason. Publish another version: what was served before stays."
        ;;
      broken)
        broken_count=$((broken_count + 1))
        say "Not unpacked: $reason."
        if [ "$broken_count" -ge "$broken_attempts" ]; then
          use_kept_copy && exit 0
          give_up "Not unpacked, in $broken_count attempts: $reason. Publish another version: what was served before stays."
        fi
        back_off
        ;;
      *)
        : "${unreachable_since_ms:=$(now_ms)}"
        if [ $(($(now_ms) - unreachable_since_ms)) -ge "$fallback_after_ms" ]; then
          use_kept_copy && exit 0
        fi
        back_off
        ;;
    esac
  done
}

back_off() {
  failures=$((failures + 1))
  wait_ms=$most_backoff_ms
  [ "$failures" -gt 10 ] || wait_ms=$((first_backoff_ms << (failures - 1)))
  [ "$wait_ms" -le "$most_backoff_ms" ] || wait_ms=$most_backoff_ms
  wait_ms=$(jittered "$wait_ms")
  [ "$wait_ms" -ge "$retry_after_ms" ] || wait_ms=$retry_after_ms
  say "Attempt $failures: $reason. Next attempt in $(seconds_of "$wait_ms") s."
  leave_word "$reason"
  pause "$wait_ms"
}

main
