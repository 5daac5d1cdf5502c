#!/bin/sh
# commit.sh FOLDER MESSAGE: commits the changes below the folder of a fresh checkout, if there are any, and pushes them.
# Each stack has its own folder, so commits of other stacks never conflict.
set -eu
fail() {
  echo "commit.sh: $1" >&2
  exit 1
}
folder=$(cd "$1" && pwd -P)
# a rebase may remove the folder for a moment
cd "$(git -C "$folder" rev-parse --show-toplevel)"
# CI often checks out a commit without its branch: a commit there would belong to no branch and reach nobody
branch=$(git symbolic-ref --quiet --short HEAD) ||
  fail "the checkout has no branch (detached HEAD): check out the branch that Flux reads, such as \`git switch main\`"
git rev-parse --quiet --verify "@{upstream}" > /dev/null ||
  fail "the branch $branch has no upstream to push to: \`git branch --set-upstream-to origin/$branch\`"
git add --all -- "$folder"
# also a commit that an earlier run could not push
if git diff --cached --quiet && [ "$(git rev-list --count "@{upstream}..HEAD")" -eq 0 ]; then
  echo "nothing changed"
  exit 0
fi
git diff --cached --quiet || git commit --quiet --message "$2"
tries=0
until git push --quiet; do
  tries=$((tries + 1))
  if [ "$tries" -ge 10 ]; then
    echo "not pushed: the commit is only here; the next run writes and pushes it again" >&2
    exit 1
  fi
  git pull --quiet --rebase
done
