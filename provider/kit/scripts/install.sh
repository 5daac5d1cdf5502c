#!/bin/sh
# Installs this kit in the cluster that kubectl and helm are configured for, or upgrades an installation to the kit's version.
#
#   sh install.sh REGISTRY/PATH [arguments for helm]
#
# REGISTRY/PATH is where load.sh put the images. Further arguments go to helm, for example --namespace docs --create-namespace
# --values mine.yaml; your values override the kit's. The environment variable RELEASE names the release (default: docs).
#
# Waits until the pods are ready. If it fails, run it again. Needs sh, coreutils, sed and helm 3.8 or later. Writes only below
# TMPDIR (/tmp), because the kit's medium may be read-only.
set -u
umask 077
LC_ALL=C
export LC_ALL
unset CDPATH

give_up() {
  printf '%s\n' "$@" >&2
  exit 1
}

# Finds the namespace among helm's arguments, for the commands that the message of a failure names.
find_namespace() {
  namespace=
  while [ $# -gt 0 ]; do
    case $1 in
      -n | --namespace) namespace=" --namespace ${2-}" ;;
      -n=* | --namespace=*) namespace=" --namespace ${1#*=}" ;;
    esac
    shift
  done
}

explain_failure() {
  cat >&2 <<END

The pods did not become ready. Installed objects stay, and pods of an earlier version continue to serve. To find the reason:

  kubectl get pods$namespace
      ImagePullBackOff: the nodes cannot pull the images. Check that load.sh put them into $target,
      and that the nodes trust the registry's certificate (or may use http) and have credentials
      (--set 'imagePullSecrets[0].name=…').
      Pending: no node has enough free resources, or no node accepts the pods.
  kubectl describe pods$namespace
      shows the reason in the events at the end of each pod.
  kubectl logs$namespace --all-containers --prefix --selector app.kubernetes.io/instance=$release
      shows the logs of the containers.
  helm status $release$namespace
      «another operation is in progress»: an earlier run was interrupted. Run
      helm rollback $release$namespace, or, if nothing was installed before,
      helm uninstall $release$namespace

Then run install.sh again.
END
  exit 1
}

case ${1-} in
  '' | -* | *://* | *[!A-Za-z0-9.:/_-]*) give_up "usage: sh install.sh REGISTRY/PATH [arguments for helm]" ;;
esac
target=${1%/}
release=${RELEASE:-docs}
shift
find_namespace "$@"

# the working directory stays the caller's, because helm's arguments may name files
kit=$(cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
command -v helm >/dev/null || give_up "helm is required, but it is not on PATH."
for chart in "$kit"/chart/*.tgz; do
  [ -f "$chart" ] || give_up "There is no chart beside install.sh. If this folder contains the parts of a kit, join them as README.md describes."
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
sed "s|registry\.invalid/kit|$target|g" "$kit/values.yaml" >"$work/values.yaml" || exit 1

helm upgrade --install "$release" "$chart" --values "$work/values.yaml" --wait "$@" || explain_failure
echo "OK: the release $release serves the site of this kit."
