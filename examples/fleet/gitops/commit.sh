#!/bin/sh
# commit.sh FOLDER MESSAGE: commits what changed below the folder of a fresh checkout, and pushes it. No change, no commit.
# Each stack has a folder of its own, so that what others push meanwhile is never in conflict with it.
set -eu
folder=$(cd "$1" && pwd -P)
# a rebase may take the folder away for a moment
cd "$(git -C "$folder" rev-parse --show-toplevel)"
git add --all -- "$folder"
if git diff --cached --quiet; then
  echo "nothing changed"
  exit 0
fi
git commit --quiet --message "$2"
tries=0
until git push --quiet; do
  tries=$((tries + 1))
  if [ "$tries" -ge 10 ]; then
    echo "not pushed: the commit is only here; the next run writes and pushes it again" >&2
    exit 1
  fi
  git pull --quiet --rebase
done
