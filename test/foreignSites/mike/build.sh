#!/bin/sh
# Two versions, and a symbolic link to the newer one.
set -e
PATH=$PWD/venv/bin:$PATH
git init --quiet .
git commit --quiet --allow-empty --message start
mike --quiet deploy v1.1
cp newer/*.md docs
mike --quiet deploy --alias-type=symlink v1.2 stable
mike --quiet set-default stable
mkdir deployed
git archive gh-pages | tar -x -C deployed
