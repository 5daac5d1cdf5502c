@echo off
rem Starts the plugin with this machine's Node.js. Pulumi runs this file and reads the plugin's port from its output.
where /q node || (
  echo pulumi-docs-hosting needs Node.js 22.12 or later; there is no node on PATH>&2
  exit /b 1
)
node --max-semi-space-size=8 "%~dp0index.js" %*
