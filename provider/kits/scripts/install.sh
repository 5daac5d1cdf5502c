#!/bin/sh
# Installs this kit in the cluster that kubectl and helm are configured for, or upgrades an installation to the kit's version.
#
#   sh install.sh REGISTRY/PATH [arguments for helm]
#
# REGISTRY/PATH is where load.sh put the images. Further arguments go to helm, for example --namespace docs --create-namespace
# --values mine.yaml; your values override the kit's. The environment variable RELEASE names the release (default: docs).
#
# Waits until the pods are ready. If it fails, run it again. Needs sh, coreutils, grep, sed and helm 3.8 or later. Writes only below
# TMPDIR (/tmp), because the kit's medium may be read-only.
set -u
umask 077
LC_ALL=C
export LC_ALL
unset CDPATH

# Takes the problem and the remedy. Prints only printable ASCII characters.
give_up() {
  printf '%s\n' "$@" | tr -c '\n -~' '?' >&2
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

# Prints the platforms of the kit's images, from its manifest.
platforms() {
  found=$(tr -d ' \t\r\n' <"$kit/manifest.json" 2>/dev/null | grep -o '"platforms":\[[^]]*' | sed 's/.*\[//; s/"//g' |
    tr ',' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//; s/ /, /g' | tr -c '\n -~' '?')
  printf '%s' "${found:-the platforms that README.md names}"
}

explain_failure() {
  cat >&2 <<END

The pods did not become ready. Installed objects stay, and pods of an earlier version continue to serve. To find the reason:

  kubectl get pods$namespace
      ImagePullBackOff: the nodes cannot pull the images. Check that load.sh put them into $target,
      and that the nodes trust the registry's certificate (or may use http) and have credentials
      (--set 'imagePullSecrets[0].name=…').
      CrashLoopBackOff with «exec format error» in the logs, or an image «not found» for a platform: the kit has images
      for $(platforms) only.
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

# Refuses a target that is no registry with a path, or whose images no cluster could pull. Says what to write instead.
check_target() {
  case $target in
    *://*) give_up "Write the registry without ${target%%://*}://, as in the name of an image: ${target#*://}" ;;
    /* | *[!][A-Za-z0-9.:/_-]*) give_up "$usage" ;;
  esac
  host=${target%%/*} port=
  case $host in
    \[*\]*)
      port=${host#*\]}
      case ${host%%\]*} in
        \[*[!0-9A-Fa-f:.]* | \[) give_up "$host is no IPv6 address in brackets. Write it like this: [fd00::1]:5000/docs" ;;
        \[*:*:*) ;;
        *) give_up "$host is no IPv6 address in brackets. Write it like this: [fd00::1]:5000/docs" ;;
      esac
      ;;
    *[][]* | *:*:*) give_up "An IPv6 address needs brackets. Write it like this: [fd00::1]:5000/docs" ;;
    localhost) ;;
    *:*) port=:${host#*:} ;;
    *.*) ;;
    *) give_up "$host has neither a dot nor a port: programs read $target as a name at Docker Hub." \
      "Write the registry's full name, or its port, such as $host:443." ;;
  esac
  case $port in
    '' | :[0-9]*) ;;
    *) port=: ;;
  esac
  case $port in : | :*[!0-9]*) give_up "$host has no usable port. Write it like this: registry.internal:5000/docs" ;; esac
  case $target in */*) ;; *) return 0 ;; esac
  case ${target#*/} in
    *[A-Z]*) give_up "The path ${target#*/} has upper case, and no program could pull such an image. Write it in lower case:" \
      "$host/$(printf %s "${target#*/}" | tr '[:upper:]' '[:lower:]')" ;;
    *:*) give_up "The path ${target#*/} has a colon. Leave out the tag: each image of the kit has its own." ;;
  esac
  case /${target#*/}/ in
    */[!a-z0-9]* | *[!a-z0-9]/* | *..* | *[._]-* | *-[._]* | *._* | *_.* | *___*)
      give_up "The path ${target#*/} cannot be the name of an image: each part must begin and end with a letter or a digit," \
        "with -, ., _ or __ between them." ;;
  esac
}

usage="usage: sh install.sh REGISTRY/PATH [arguments for helm]"
case ${1-} in '' | -*) give_up "$usage" ;; esac
target=${1%/}
check_target
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
