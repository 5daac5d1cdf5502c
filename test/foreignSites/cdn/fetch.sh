#!/bin/sh
# Fetches packages as a CDN has them: their files, without what they depend on.
set -eu
mkdir packages
for package in katex@0.19.1 mermaid@12.3.0 @highlightjs/cdn-assets@11.12.0 @fontsource/roboto@5.3.0 \
  bootstrap-icons@1.13.2 preact@11.2.0 lit-html@3.3.3; do
  file=$(npm pack --silent "$package")
  mkdir -p "packages/$package"
  tar -xzf "$file" -C "packages/$package" --strip-components 1
done
