#!/bin/sh
# Checks that this kit is complete, unchanged, and signed with a key that you trust.
#
#   sh verify.sh PUBLIC_KEY.pem   checks everything; get the key by another way than the kit
#   sh verify.sh --unsigned       checks only that the files match the kit's own list
#
# Exit code 0: the kit passed. 1: it did not, or it could not be checked; each reason is on a line of its own.
# Needs sh, coreutils (sort, uniq, …; without sha256sum: shasum or openssl), find, grep, sed and openssl (3.0 for Ed25519). Writes
# nothing, because the medium may be read-only.
# shellcheck disable=SC2030,SC2031 # callers of `field` read its result in the shell that called it, which may be a subshell
set -u
LC_ALL=C
export LC_ALL
unset CDPATH

# ---- Programs ----------------------------------------------------------------------------------------------------------

# Ends if this machine has not what the script needs: that is no fault of the kit.
find_programs() {
  for each in cat cut dirname find grep head sed sort tr uniq wc; do
    command -v $each >/dev/null || lacks_program "$each"
  done
  for hash in sha256sum 'shasum -a 256' 'openssl dgst -sha256 -r'; do
    case $(sha256_of </dev/null) in e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855) return ;; esac
  done
  lacks_program "sha256sum, shasum or openssl"
}

lacks_program() {
  echo "not checked: this machine has no $1. This says nothing about the kit. Install it, or verify the kit on another machine"
  echo "NOT OK (1): do not use this kit."
  exit 1
}

# Prints the SHA-256 of standard input; nothing if it cannot be read.
sha256_of() {
  sum_here=$($hash 2>/dev/null) || return
  printf '%s' "${sum_here%%[!0-9a-f]*}"
}

# ---- Files in the folder -----------------------------------------------------------------------------------------------

# Runs find on what other systems leave on a medium («litter», with the actions for it), or on everything else below the kit, with the
# given tests and actions. It does not look into litter, which may be readable to root only.
find_among() {
  among=$1
  shift
  case $among in
    litter) set -- -prune "$@" ;;
    *) set -- -prune -o ! -name . "$@" ;;
  esac
  find . ! -name . \( -name .DS_Store -o -name '._*' -o -name .Spotlight-V100 -o -name .Trashes -o -name .fseventsd \
    -o -name .TemporaryItems -o -name .DocumentRevisions-V100 -o -name .apdisk -o -name __MACOSX \
    -o -name '[Tt]humbs.db' -o -name '[Dd]esktop.ini' -o -name 'System Volume Information' -o -name '$RECYCLE.BIN' \
    -o -name RECYCLER -o -name lost+found -o -name '.Trash-[0-9]*' \) "$@"
}

# Lists litter, and says that only removing it is needed.
list_litter() {
  find_among litter -exec sh -c 'for path; do
    case ${path##*/} in
      [Tt]humbs.db | [Dd]esktop.ini | System* | ?RECYCLE.BIN | RECYCLER) by=Windows ;;
      lost+found | .Trash-*) by=Linux ;;
      *) by=macOS ;;
    esac
    printf "added: %s (litter of %s: remove it)\n" "$(printf %s "${path#./}" | tr -c "A-Za-z0-9._/+\$ -" "?")" $by
  done' sh {} +
}

# Lists names that a kit never has, and links, devices and pipes. Only find looks at them, before any file is opened.
list_refused() {
  find_among kit \( -name '*[!A-Za-z0-9._-]*' -o -name '-*' \) -exec sh -c 'for path; do
    printf "refused: %s (a name that no kit has; other characters than letters, digits, dots and dashes are shown as ?)\n" \
      "$(printf %s "$path" | tr -c "A-Za-z0-9._/-" "?")"
  done' sh {} +
  find_among kit ! -type f ! -type d -exec sh -c 'for path; do
    printf "refused: %s (a link, or something else that is neither a file nor a folder)\n" \
      "$(printf %s "$path" | tr -c "A-Za-z0-9._/-" "?")"
  done' sh {} +
}

# Prints the lines of the first text that are not in the second.
without() { printf '%s\n' "$1" "$2" "$2" | sort | uniq -u | grep .; }

# Whether a file of the kit has this name. No other file is opened, even if a changed list names one.
is_file() {
  case "
$files
" in
    *"
$1
"*) ;;
    *) return 1 ;;
  esac
}

list_missing() { without "$expected" "$files" | sed 's/^/missing: /'; }

# Lists the files that are not in the list of sums, and the folders that contain no listed file.
list_added() {
  without "$files" "$expected" | sed 's/^/added: /'
  find_among kit -type d -print | sed 's:^\./::' | while IFS= read -r folder; do
    case "
$expected" in
      *"
$folder/"*) ;;
      *) echo "added: $folder/" ;;
    esac
  done
}

# ---- The list of sums --------------------------------------------------------------------------------------------------

list_changed() {
  if grep -qvE '^[0-9a-f]{64}  [A-Za-z0-9._/-]+$' "$sums"; then
    echo "changed: $sums (not in the format of sha256sum)"
  fi
  # a complete kit's list under this name would hide version and date
  if [ $sums != SHA256SUMS ] && grep -qvE '  (kit\.tar\.[0-9]+|README\.md|verify\.sh)$' "$sums"; then
    echo "changed: $sums (it lists a file that is no part of a kit)"
  fi
  while read -r sum name || [ -n "$sum" ]; do
    is_file "$name" || continue
    found_sum=$(sha256_of <"$name")
    if [ -z "$found_sum" ]; then
      echo "unreadable: $name (the medium, or the rights of the file)"
    elif [ "$found_sum" != "$sum" ]; then
      echo "changed: $name"
    elif [ "${name#images/blobs/sha256/}" != "$name" ] && [ "${name##*/}" != "$sum" ]; then
      echo "changed: $name (its name is not its digest)"
    fi
  done <"$sums"
}

# ---- The manifest ------------------------------------------------------------------------------------------------------

# Prints each object of the manifest on a line of its own, without nested objects.
manifest_objects() {
  tr -s '\000-\040\177' ' ' <manifest.json | sed 's/" :/":/g; s/[{}]/\
/g' | grep '"'
}

# Sets $value to the field $1 of $object: a text, or a number.
field() {
  value=
  case $object in *"\"$1\":"*) ;; *) return 1 ;; esac
  value=${object#*"\"$1\":"}
  value=${value#"${value%%[! ]*}"}
  case $value in
    '"'*) value=${value#'"'} value=${value%%'"'*} ;;
    *) value=${value%%[!0-9a-z]*} ;;
  esac
}

# Reports that the manifest is wrong about a file, unless the file is already reported.
report_mismatch() {
  case "
$wrong
" in
    *": $1
"* | *": $1 ("*) ;;
    *) echo "changed: manifest.json (it does not match ${2-}${1:-the files of the kit})" ;;
  esac
}

# Prints the manifest's entries of bundle, chart and blobs in the format of the list of sums, followed by the size.
manifest_parts() {
  manifest_objects | while IFS= read -r object; do
    if field path; then
      path=$value
      field sha256
    elif field in && [ "$value" = this ]; then
      field digest
      value=${value#sha256:}
      path=images/blobs/sha256/$value
    else
      continue
    fi
    sum=$value
    field size
    printf '%s  %s %s\n' "$sum" "$path" "$value"
  done
}

# Every entry of the manifest must be in the kit with its sum and size, and every blob must have an entry.
list_mismatches() {
  [ -f manifest.json ] && report_mismatch manifest.json | grep -q . || return
  parts=$(manifest_parts)
  printf '%s\n' "$parts" | while read -r sum path size; do
    if ! grep -qxF -e "$sum  $path" "$sums" || ! is_file "$path"; then
      report_mismatch "$path"
    elif [ "$(($(wc -c <"$path")))" != "$size" ]; then
      report_mismatch "$path" "the size of "
    fi
  done
  without "$(printf '%s\n' "$files" | grep '^images/blobs/sha256/')" "$(printf '%s\n' "$parts" | cut -d ' ' -f 3)" |
    while IFS= read -r path; do report_mismatch "$path"; done
}

# ---- The signature -----------------------------------------------------------------------------------------------------

# Whether openssl can check signatures of a kind here: it makes a key, signs the list and checks that, all in memory.
can_check() {
  case $1 in
    Ed25519)
      test_key=$(openssl genpkey -algorithm ED25519 2>/dev/null) && set -- -rawin -in "$sums" &&
        printf '%s\n' "$test_key" | openssl pkeyutl -sign -inkey /dev/stdin "$@" 2>/dev/null | {
          exec 3<&0
          printf '%s\n' "$test_key" | openssl pkey -pubout 2>/dev/null |
            openssl pkeyutl -verify -pubin -inkey /dev/stdin "$@" -sigfile /dev/fd/3 >/dev/null 2>&1
        }
      ;;
    *)
      test_key=$(openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 2>/dev/null) &&
        printf '%s\n' "$test_key" | openssl dgst -sha256 -sign /dev/stdin "$sums" 2>/dev/null | {
          exec 3<&0
          printf '%s\n' "$test_key" | openssl pkey -pubout 2>/dev/null |
            openssl dgst -sha256 -verify /dev/stdin -signature /dev/fd/3 "$sums" >/dev/null 2>&1
        }
      ;;
  esac
}

# Prints that the signature was not checked. Takes the reason.
cannot_check() {
  echo "not checked: this openssl cannot check it: $1. This says nothing about the kit. Verify it on another machine, with openssl 3.0 or later"
}

check_signature() {
  if [ ! -f "$sums.sig" ]; then
    echo "unsigned: $sums.sig is missing"
    return
  fi
  if ! command -v openssl >/dev/null; then
    cannot_check "openssl is not on PATH"
    return
  fi
  kind=none
  case $(openssl pkey -pubin -in "$key" -noout -text 2>&1) in
    *ED25519*) kind=Ed25519 ;;
    *prime256v1*) kind=P-256 ;;
    *) # the beginning of such a key, where openssl does not know the algorithm, such as in FIPS mode
      case $(tr -d ' \t\r\n' <"$key") in
        *-----MCowBQYDK2VwAyEA*) kind=Ed25519 ;;
        *-----MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE*) kind=P-256 ;;
      esac
      if [ $kind = none ] || can_check $kind; then
        echo "no key: $key contains no public key of ECDSA P-256 or Ed25519 that openssl can read"
        return
      fi
      ;;
  esac
  case $kind in
    Ed25519) set -- pkeyutl -verify -pubin -inkey "$key" -rawin -in "$sums" -sigfile "$sums.sig" ;;
    *) set -- dgst -sha256 -verify "$key" -signature "$sums.sig" "$sums" ;;
  esac
  if openssl "$@" >/dev/null 2>&1; then return; fi
  if can_check $kind; then
    echo "other key or changed $sums: $sums.sig is not its signature with the key of $key (checked by $(openssl version))"
  else
    cannot_check "$(openssl version 2>/dev/null) does not verify $kind here, as before 3.0, in FIPS mode, or with another configuration"
  fi
}

# The file for cosign must contain the same signature, and nothing else.
check_bundle() {
  [ -f "$sums.sig" ] && [ -f "$sums.sigstore.json" ] || return
  text='{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":"'
  text=$text$(openssl pkey -pubin -in "$key" -outform DER 2>/dev/null | openssl dgst -sha256 -binary | openssl base64 -A)
  text=$text'"}},"messageSignature":{"messageDigest":{"algorithm":"SHA2_256","digest":"'
  text=$text$(openssl dgst -sha256 -binary "$sums" | openssl base64 -A)
  text=$text'"},"signature":"'$(openssl base64 -A -in "$sums.sig")'"}}'
  [ "$(printf '%s\n' "$text" | sha256_of)" = "$(sha256_of <"$sums.sigstore.json")" ] || echo "changed: $sums.sigstore.json"
}

# ---- Main --------------------------------------------------------------------------------------------------------------

# Takes the reasons, one per line. Prints only printable ASCII characters, whatever the reasons contain.
refuse() {
  printf '%s\n' "$1" | tr -c '\n -~' '?'
  echo "NOT OK ($(printf '%s\n' "$1" | grep -c .)): do not use this kit."
  exit 1
}

main() {
  find_programs
  case $#:${1-} in
    1:--unsigned | 0:) key= ;;
    1:-* | 1:) refuse "usage: sh verify.sh PUBLIC_KEY.pem" ;;
    1:/*) key=$1 ;;
    1:*) key=$PWD/$1 ;;
    *) refuse "usage: sh verify.sh PUBLIC_KEY.pem" ;;
  esac
  kit=$(cd -- "$(dirname -- "$0")" && pwd -P) && cd "$kit" || exit 1
  if [ -n "$key" ]; then
    [ -f "$key" ] || refuse "no key: there is no file $key"
    case $(cd -- "$(dirname -- "$key")" && pwd -P)/ in
      "$kit"/*) refuse "no key: $key is in the kit, so it proves nothing. Use the key that you got by another way." ;;
    esac
  fi

  litter=$(list_litter)
  refused=$(list_refused)
  [ -z "$refused" ] || refuse "$refused${litter:+
$litter}"
  sums=SHA256SUMS
  [ ! -f PARTS.SHA256SUMS ] || sums=PARTS.SHA256SUMS
  [ -f "$sums" ] || refuse "missing: $sums"
  files=$(find_among kit -type f -print) || refuse "unreadable: a folder of the kit"
  files=$(printf '%s\n' "$files" | sed 's:^\./::')
  listed=$(cut -c 67- "$sums")
  expected=$(
    printf '%s\n' "$listed" "$sums"
    [ $sums != SHA256SUMS ] || echo manifest.json
    [ ! -f "$sums.sig" ] || printf '%s\n' "$sums.sig" "$sums.sigstore.json"
    # the missing signature is reported separately
    [ -z "$key" ] || [ ! -f "$sums.sigstore.json" ] || echo "$sums.sigstore.json"
  )
  expected=$(printf '%s\n' "$expected" | sort -u)

  # this may take minutes; only a terminal needs the line
  [ ! -t 1 ] || echo "Reading $(printf '%s\n' "$files" | grep -c .) files …"
  wrong=$(
    list_missing
    list_added
    list_changed
  )
  found=$(
    [ -z "$litter" ] || printf '%s\n' "$litter"
    [ -z "$wrong" ] || printf '%s\n' "$wrong"
    list_mismatches
    if [ -n "$key" ]; then
      verdict=$(check_signature)
      [ -z "$verdict" ] || printf '%s\n' "$verdict"
      case $verdict in "not checked: "*) ;; *) check_bundle ;; esac
    elif [ ! -f "$sums.sig" ] && grep -q '"signed": *true' manifest.json 2>/dev/null; then
      echo "unsigned: $sums.sig is missing, although the kit was signed when it was made"
    fi
  )
  [ -z "$found" ] || refuse "$found"

  if [ $sums = SHA256SUMS ]; then
    object=$(manifest_objects | head -n 1)
    field version && printf 'Kit of version «%s», ' "$value"
    field createdAt && printf 'made at %s\n' "$value"
  fi
  echo "$(printf '%s\n' "$files" | grep -c .) files: complete, unchanged, nothing added."
  if [ -n "$key" ]; then
    echo "OK: signed by the key of $key."
  else
    echo "NOT SIGNED: no signature was checked. Somebody who changed a file could also have changed $sums."
    [ "${1-}" = --unsigned ] || refuse "no key: name the public key's file, or use --unsigned to accept the kit anyway"
  fi
  [ $sums = SHA256SUMS ] || echo "This folder contains the parts of a kit. Join them as README.md describes, then verify the joined kit in the same way."
}

main "$@"
