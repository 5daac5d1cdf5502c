#!/bin/sh
# Compresses the text files of the site once, so that nginx need not do so for each request. It makes a tree of hard links to the site's
# files, with a .gz beside each text file that gets smaller, and replaces the site with it in one rename. Until then, and after any
# failure, nginx serves the site as it was fetched.
# compress.sh SITE_FOLDER LINK: the link is what nginx serves.
set -u
site=$1
link=$2
draft=$site/compressed.draft
process=

give_up() {
  rm -rf "$draft"
  echo "Text files are still compressed for each request, because $1 failed: is the node's disk full?" >&2
  exit 1
}

# The shell handles a signal at once only while it waits for a background process.
run() {
  "$@" 2>/dev/null &
  process=$!
  wait "$process"
}

# Compresses the given files, with the same bytes and time in every pod, and keeps those that got smaller.
compress() {
  run gzip -n -9 -k -f "$@" || give_up "compressing them once"
  for file; do
    shift
    set -- "$@" "$file" "$file.gz"
  done
  stat -c %s "$@" | while read -r size && read -r compressed_size; do
    if [ "$compressed_size" -lt "$size" ]; then touch -r "$1" "$2"; else rm "$2"; fi
    shift 2
  done
}

# A process that has just started still has this shell's trap, and TERM would not end it.
stop() {
  if [ -n "$process" ] && kill -KILL "$process" 2>/dev/null; then wait "$process" 2>/dev/null; fi
  rm -rf "$draft"
  exit 143
}

trap stop TERM QUIT INT
! command -v ionice >/dev/null || ionice -c 3 -p $$ 2>/dev/null

rm -rf "$draft" "$site/compressed"
mkdir "$draft" 2>/dev/null || give_up "making a folder"
run cp -a -l "$site/active" "$draft/site" || give_up "linking them"
cd "$draft/site" || exit 1

# the extensions of nginx.conf's gzip_types, and of pages
set --
for ending in html htm shtml xhtml xht css txt log rst py sh toml md csv tsv ics vtt xml xsl xsd js mjs cjs rsc json map geojson \
  webmanifest jsonld ipynb yaml yml rss atom rdf wasm ttf otf eot svg bmp ico; do
  set -- "$@" -o -name "*.$ending"
done
shift
run find . -type f -size +512c \( "$@" \) >"$draft/names" || give_up "listing them"

set --
while IFS= read -r name; do
  set -- "$@" "$name"
  [ $# -lt 64 ] || { compress "$@" && set --; }
done <"$draft/names"
[ $# -eq 0 ] || compress "$@"

mv "$draft/site" "$site/compressed" || give_up "moving them"
rm -rf "$draft"
ln -s -f -n "$site/compressed" "$link.new" && mv -f -T "$link.new" "$link" || give_up "changing to them"
