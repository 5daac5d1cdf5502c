#!/bin/sh
# commit.sh FOLDER MESSAGE: commits the changes below the folder of a fresh checkout, if there are any, and pushes them.
# Each stack has its own folder, so commits of other stacks never conflict.
set -eu
folder=$(cd "$1" && pwd -P)
# a rebase may remove the folder for a moment
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
