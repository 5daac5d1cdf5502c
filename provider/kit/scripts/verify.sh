#!/bin/sh
# Says whether this kit is whole, unchanged and signed by a key that you trust.
#
#   sh verify.sh PUBLIC_KEY.pem   the key came to you by another way than the kit
#   sh verify.sh --unsigned       only whether the files are those that the kit itself lists
#
# Exit code 0: it is. 1: it is not, or nobody can know; every reason has a line of its own.
# Needs sh, coreutils (sha256sum, sort, uniq, …), find, grep, sed and openssl (3.0 for Ed25519). Writes nothing: the medium may be
# read-only.
# shellcheck disable=SC2030,SC2031 # what `field` leaves is read where it was called, in a subshell or not
set -u
LC_ALL=C
export LC_ALL
unset CDPATH

# ---- What lies in the folder -------------------------------------------------------------------------------------------

# Names that a kit never has, and links, devices and pipes. They are looked for by find alone, before anything is opened.
list_refused() {
  find . ! -name . \( -name '*[!A-Za-z0-9._-]*' -o -name '-*' \) -exec sh -c 'for path; do
    printf "refused: %s (a name that no kit has; what is not a letter, a digit, a dot or a dash is shown as ?)\n" \
      "$(printf %s "$path" | tr -c "A-Za-z0-9._/-" "?")"
  done' sh {} +
  find . ! -type f ! -type d -exec sh -c 'for path; do
    printf "refused: %s (a link, or something else that is neither a file nor a folder)\n" \
      "$(printf %s "$path" | tr -c "A-Za-z0-9._/-" "?")"
  done' sh {} +
}

# Lines of the first text that are not in the second.
without() { printf '%s\n' "$1" "$2" "$2" | sort | uniq -u | grep .; }

# Whether a file of the kit has this name. Nothing else is ever opened, whatever a list that somebody changed says.
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

# Files that nobody listed, and folders that hold none of the listed ones.
list_added() {
  without "$files" "$expected" | sed 's/^/added: /'
  find . ! -name . -type d | sed 's:^\./::' | while IFS= read -r folder; do
    case "
$expected" in
      *"
$folder/"*) ;;
      *) echo "added: $folder/" ;;
    esac
  done
}

# ---- What the list says ------------------------------------------------------------------------------------------------

list_changed() {
  if grep -qvE '^[0-9a-f]{64}  [A-Za-z0-9._/-]+$' "$sums"; then
    echo "changed: $sums (not as sha256sum writes it)"
  fi
  # the list of a whole kit under this name would hide version and date
  if [ $sums != SHA256SUMS ] && grep -qvE '  (kit\.tar\.[0-9]+|README\.md|verify\.sh)$' "$sums"; then
    echo "changed: $sums (it lists what is no part of a kit)"
  fi
  while read -r sum name || [ -n "$sum" ]; do
    is_file "$name" || continue
    if [ "$(sha256sum <"$name")" != "$sum  -" ]; then
      echo "changed: $name"
    elif [ "${name#images/blobs/sha256/}" != "$name" ] && [ "${name##*/}" != "$sum" ]; then
      echo "changed: $name (its name is not its digest)"
    fi
  done <"$sums"
}

# ---- What the manifest says --------------------------------------------------------------------------------------------

# Each object of the manifest, without what is nested in it, on a line of its own.
manifest_objects() {
  tr -s '\000-\040\177' ' ' <manifest.json | sed 's/" :/":/g; s/[{}]/\
/g' | grep '"'
}

# Leaves in $value what the field $1 of $object has: a text, or a number.
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

# A file that is named already has nothing to do with the manifest.
lie() {
  case "
$wrong
" in
    *": $1
"* | *": $1 ("*) ;;
    *) echo "changed: manifest.json (it lies about ${2-}${1:-all that is in the kit})" ;;
  esac
}

# What the manifest says of bundle, chart and blobs, as the list of sums would, with the size at the end.
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

# These parts must be there as the manifest says, and each blob must be one of them.
list_lies() {
  [ -f manifest.json ] && lie manifest.json | grep -q . || return
  parts=$(manifest_parts)
  printf '%s\n' "$parts" | while read -r sum path size; do
    if ! grep -qxF -e "$sum  $path" "$sums" || ! is_file "$path"; then
      lie "$path"
    elif [ "$(($(wc -c <"$path")))" != "$size" ]; then
      lie "$path" "the size of "
    fi
  done
  without "$(printf '%s\n' "$files" | grep '^images/blobs/sha256/')" "$(printf '%s\n' "$parts" | cut -d ' ' -f 3)" |
    while IFS= read -r path; do lie "$path"; done
}

# ---- Who signed it -----------------------------------------------------------------------------------------------------

check_signature() {
  if [ ! -f "$sums.sig" ]; then
    echo "unsigned: $sums.sig is missing"
    return
  fi
  case $(openssl pkey -pubin -in "$key" -noout -text 2>&1) in
    *ED25519*) set -- pkeyutl -verify -pubin -inkey "$key" -rawin -in "$sums" -sigfile "$sums.sig" ;;
    *prime256v1*) set -- dgst -sha256 -verify "$key" -signature "$sums.sig" "$sums" ;;
    *)
      echo "no key: openssl reads no public key of ECDSA P-256 or Ed25519 in $key"
      return
      ;;
  esac
  openssl "$@" >/dev/null 2>&1 ||
    echo "other key or changed $sums: $sums.sig was not made of it by the key of $key (as $(openssl version) sees it)"
}

# What cosign reads holds the same signature, and not a byte else.
check_bundle() {
  [ -f "$sums.sig" ] && [ -f "$sums.sigstore.json" ] || return
  text='{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"publicKey":{"hint":"'
  text=$text$(openssl pkey -pubin -in "$key" -outform DER 2>/dev/null | openssl dgst -sha256 -binary | openssl base64 -A)
  text=$text'"}},"messageSignature":{"messageDigest":{"algorithm":"SHA2_256","digest":"'
  text=$text$(openssl dgst -sha256 -binary "$sums" | openssl base64 -A)
  text=$text'"},"signature":"'$(openssl base64 -A -in "$sums.sig")'"}}'
  [ "$(printf '%s\n' "$text" | sha256sum)" = "$(sha256sum <"$sums.sigstore.json")" ] || echo "changed: $sums.sigstore.json"
}

# ---- The whole ---------------------------------------------------------------------------------------------------------

# Takes the reasons, a line each. Whatever is in them, nothing but plain letters gets to the terminal.
refuse() {
  printf '%s\n' "$1" | tr -c '\n -~' '?'
  echo "NOT OK ($(printf '%s\n' "$1" | grep -c .)): do not use this kit."
  exit 1
}

main() {
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
      "$kit"/*) refuse "no key: $key came with the kit, so that it says nothing. Take the one that came by another way." ;;
    esac
  fi

  refused=$(list_refused)
  [ -z "$refused" ] || refuse "$refused"
  sums=SHA256SUMS
  [ ! -f PARTS.SHA256SUMS ] || sums=PARTS.SHA256SUMS
  [ -f "$sums" ] || refuse "missing: $sums"
  files=$(find . -type f) || refuse "unreadable: a folder of the kit"
  files=$(printf '%s\n' "$files" | sed 's:^\./::')
  listed=$(cut -c 67- "$sums")
  expected=$(
    printf '%s\n' "$listed" "$sums"
    [ $sums != SHA256SUMS ] || echo manifest.json
    [ ! -f "$sums.sig" ] || printf '%s\n' "$sums.sig" "$sums.sigstore.json"
    # beside a signature that is missing, which is told
    [ -z "$key" ] || [ ! -f "$sums.sigstore.json" ] || echo "$sums.sigstore.json"
  )
  expected=$(printf '%s\n' "$expected" | sort -u)

  # it may take minutes, which only somebody who looks on should be told
  [ ! -t 1 ] || echo "Reading $(printf '%s\n' "$files" | grep -c .) files …"
  wrong=$(
    list_missing
    list_added
    list_changed
  )
  found=$(
    [ -z "$wrong" ] || printf '%s\n' "$wrong"
    list_lies
    if [ -n "$key" ]; then
      check_signature
      check_bundle
    elif [ ! -f "$sums.sig" ] && grep -q '"signed": *true' manifest.json 2>/dev/null; then
      echo "unsigned: $sums.sig is missing, and the kit had one when it was made"
    fi
  )
  [ -z "$found" ] || refuse "$found"

  if [ $sums = SHA256SUMS ]; then
    object=$(manifest_objects | head -n 1)
    field version && printf 'Kit of version «%s», ' "$value"
    field createdAt && printf 'made at %s\n' "$value"
  fi
  echo "$(printf '%s\n' "$files" | grep -c .) files: all there, unchanged, nothing more."
  if [ -n "$key" ]; then
    echo "OK: signed by the key of $key."
  else
    echo "BUT NOBODY VOUCHES FOR THEM: no signature was checked. Whoever changed a file could have changed $sums, too."
    [ "${1-}" = --unsigned ] || refuse "no key: give the public key's file, or --unsigned to take it all the same"
  fi
  [ $sums = SHA256SUMS ] || echo "These are parts. Join them as README.md says, and check the kit that comes out in the same way."
}

main "$@"
