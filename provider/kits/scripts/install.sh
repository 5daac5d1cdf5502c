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

# Finds among helm's arguments the namespace, for the commands that the message of a failure names, and what changes what helm does.
read_arguments() {
  namespace='' only='' unwaited=''
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help | -h=* | --help=*) only=help ;;
      --dry-run=none | --dry-run=false) ;;
      --dry-run | --dry-run=*) only=${only:-trial} ;;
      --wait=false | --wait=hookOnly) unwaited=$1 ;;
      --wait | --wait=*) unwaited='' ;; # the last one counts
      # their values are no options
      --set | --set-string | --set-file | --set-json | --set-literal | -f | --values | --description) [ $# -lt 2 ] || shift ;;
      -n | --namespace) namespace=" --namespace ${2-}" ;;
      -n=* | --namespace=*) namespace=" --namespace ${1#*=}" ;;
      -n?*) namespace=" --namespace ${1#-n}" ;;
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

# Takes words of an error, in the versions 3 and 4 of helm, of the cluster and of Go, and what they mean. The first cause counts.
cause() {
  [ -n "$hint" ] || ! grep -qiE "$1" "$work/error" || hint=$2
}

# Explains why helm failed, by its error. Only some failures are those of pods.
explain_failure() {
  # without warnings, which also come with other failures
  sed -n '/^Error:/,$p' "$work/errors" >"$work/error"
  [ -s "$work/error" ] || cp "$work/errors" "$work/error"
  hint=''
  unreachable="helm cannot talk to the cluster. Check that this prints the cluster that you mean: kubectl cluster-info"
  cause 'admission webhook|failed calling webhook|denied the request|violates PodSecurity|ValidatingAdmissionPolicy' \
    "A rule of the cluster refuses the objects, or does not answer. Its reason is in helm's error: set values that satisfy it, or ask who keeps the rule."
  cause 'exceeded quota' \
    "The namespace's quota does not allow it: kubectl describe quota$namespace"
  cause 'unknown (shorthand )?flag|flag needs an argument|invalid argument|requires (at least )?[0-9]|accepts [0-9]' \
    "An argument for helm is wrong. helm upgrade --help lists what it takes."
  cause 'cluster unreachable|no configuration has been provided|context .* does not exist' \
    "$unreachable"
  cause 'timed out waiting|context deadline exceeded|not ready|progress deadline|hooks? failed|BackoffLimitExceeded' \
    pods
  cause 'connection refused|no such host|dial tcp|TLS handshake|awaiting headers|x509:' \
    "$unreachable"
  cause 'another operation .*is in progress' \
    "An earlier run was interrupted. Run helm rollback $release$namespace, or, if nothing was installed before, helm uninstall $release$namespace"
  cause 'has no deployed releases' \
    "An earlier installation failed, and helm cannot upgrade it. Run helm uninstall $release$namespace"
  cause 'namespaces? "?[^ ]*"? not found|create: namespaces' \
    "The namespace does not exist. Add --create-namespace, or create it."
  cause 'unauthorized|must be logged in|provide credentials' \
    "The cluster does not accept the login of kubectl. Log in again, and check: kubectl auth whoami"
  cause 'forbidden|cannot (get|list|create|patch|update|delete|watch) resource' \
    "The account of kubectl may not do what helm's error names. Ask for the right: kubectl auth can-i --list$namespace"
  cause 'invalid ownership metadata|already exists' \
    "An object with a name of the chart's exists, and is not of this release. Choose another name of the release with RELEASE, or another namespace."
  cause 'no matches for kind|resource mapping not found|ensure CRDs are installed' \
    "The cluster does not know a kind of object that the values ask for. Install what defines it, or leave the value out."
  cause 'requires kubeVersion|incompatible with Kubernetes' \
    "The cluster is older or newer than the chart allows: kubectl version. README.md names the versions."
  cause 'execution error at|values don.t meet the specification|parse error|failed to parse|YAML|unmarshal|no such file' \
    "The chart refuses the values: helm's error names the value, or the file."
  case $hint in
    pods) explain_pods "The pods did not become ready." ;;
    '') explain_pods "helm failed. Its error is above. If it does not say why, look at the pods." ;;
  esac
  printf '\n%s\n%s\n%s\n' "helm failed, and not because of pods: its error is above." "$hint" "Then run install.sh again." >&2
  exit 1
}

# Takes what is known.
explain_pods() {
  cat >&2 <<END

$1 Installed objects stay, and pods of an earlier version continue to serve. To find the reason:

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
case $release in
  -* | *- | .* | *. | *[!a-z0-9.-]* | *..* | *.-* | *-.*)
    give_up "RELEASE is no name of a release: $release" "It may have small letters, digits, - and ., and begins and ends with a letter or a digit."
    ;;
esac
[ ${#release} -le 53 ] || give_up "RELEASE has ${#release} characters, and the name of a release has at most 53."
shift
read_arguments "$@"

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

rm -f "$work/ended"
{
  {
    helm upgrade --install "$release" "$chart" --values "$work/values.yaml" --wait "$@" 3>&-
    echo $? >"$work/ended"
  } 2>&1 >&3 | tee "$work/errors" >&2
} 3>&1
[ "$(cat "$work/ended" 2>/dev/null)" = 0 ] || explain_failure
case $only in
  help) exit 0 ;;
  trial) echo "Nothing was installed, because of --dry-run." ;;
  *)
    if [ -n "$unwaited" ]; then
      echo "OK: the release $release is installed. Whether its pods serve the site is not known, because of $unwaited."
    else
      echo "OK: the release $release serves the site of this kit."
    fi
    ;;
esac
