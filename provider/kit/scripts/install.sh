#!/bin/sh
# Installs what this kit holds in the cluster that kubectl and helm talk to, or brings an installation to the kit's version.
#
#   sh install.sh REGISTRY/PATH [arguments for helm]
#
# REGISTRY/PATH is where load.sh put the images. The kit's values come first, then yours: --namespace docs --create-namespace
# --values mine.yaml. RELEASE in the environment is the release's name (docs).
#
# Waits until the pods serve. Run it again after whatever went wrong. Needs sh, coreutils, sed and helm 3.8 or later; writes only
# below TMPDIR (/tmp): the kit's medium may be read-only.
set -u
umask 077
LC_ALL=C
export LC_ALL
unset CDPATH

give_up() {
  printf '%s\n' "$@" >&2
  exit 1
}

# Takes helm's arguments, and leaves the one that says the namespace, for those who look after it.
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

say_where_to_look() {
  cat >&2 <<END

It did not come to serve. What is there already stays, and pods of an earlier version serve on. Where to look:

  kubectl get pods$namespace
      ImagePullBackOff: the nodes do not get the images. Did load.sh put them into $target, and do
      the nodes know the registry, its certificate (or that it speaks http), and a password
      (--set 'imagePullSecrets[0].name=…')?
      Pending: no node has room, or none may take them.
  kubectl describe pods$namespace
      says it in full, at the end of each pod.
  kubectl logs$namespace --all-containers --prefix --selector app.kubernetes.io/instance=$release
      what the containers themselves say.
  helm status $release$namespace
      «another operation is in progress»: a run was cut off. helm rollback $release$namespace
      goes back to what was; where nothing was, helm uninstall $release$namespace

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

# where files of the arguments are looked for stays the caller's folder
kit=$(cd -- "$(dirname -- "$0")" && pwd -P) || exit 1
command -v helm >/dev/null || give_up "helm is not here: it is needed."
for chart in "$kit"/chart/*.tgz; do
  [ -f "$chart" ] || give_up "There is no chart beside install.sh. If these are parts, join them as README.md says."
done

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
sed "s|registry\.invalid/kit|$target|g" "$kit/values.yaml" >"$work/values.yaml" || exit 1

helm upgrade --install "$release" "$chart" --values "$work/values.yaml" --wait "$@" || say_where_to_look
echo "OK: $release serves what this kit holds."
