# Wakes stacks that the operator has given up, of two kinds:
# - updates failed too often, or the workspace did: a new request starts the count at 0 again, in another workspace. Nothing runs in
#   the old one, and what made its runs fail may be in it: the lock of a CLI that was killed alone is taken away by a new pod;
# - a run is awaited whose Update is gone (pulumi-kubernetes-operator#1292): the stack forgets it. That is looked at twice, for
#   an Update is made a moment after its name; and the request that forgets it names it.
# What fails for one stack does not keep the others from being woken; kubectl says it.
set -eu

stacks() { # JSONPATH, of one stack
  kubectl get stacks.pulumi.com --selector "$SELECTOR" --output "jsonpath={range .items[*]}{.metadata.name} $1{\"\\n\"}{end}"
}

condition() { # TYPE FIELD
  printf '{.status.conditions[?(@.type=="%s")].%s}' "$1" "$2"
}

request() { # STACK
  kubectl annotate stacks.pulumi.com "$1" --overwrite "pulumi.com/reconciliation-request=wake-$(date +%s)" || :
}

all=$(stacks "$(condition Stalled status) $(condition Stalled reason)")
echo "$all" | while read -r name status reason; do
  [ "$status" = True ] || continue
  echo "$name: stalled, $reason"
  kubectl delete workspaces.auto.pulumi.com "$name" --ignore-not-found --wait=false || :
  request "$name"
done

before=$(date -u -d "@$(($(date +%s) - STUCK_SECONDS))" +%Y-%m-%dT%H:%M:%SZ)

stuck() { # stacks that have been at it since before then, with the name of an Update that is not there
  all=$(stacks "$(condition Reconciling lastTransitionTime) {.status.currentUpdate.name}")
  echo "$all" | while read -r name since update; do
    [ -n "$update" ] && expr "$since" \< "$before" >/dev/null || continue
    found=$(kubectl get updates.auto.pulumi.com "$update" --ignore-not-found --output name)
    [ -n "$found" ] || echo "$name $update"
  done
}

first=$(stuck)
[ -n "$first" ] || exit 0
sleep "$SECOND_LOOK_SECONDS"
second=$(stuck)
echo "$second" | while read -r name update; do
  echo "$first" | grep -qxF "$name $update" || continue
  echo "$name: waits for $update, which is gone"
  kubectl patch stacks.pulumi.com "$name" --subresource status --type json --patch \
    "[{\"op\":\"test\",\"path\":\"/status/currentUpdate/name\",\"value\":\"$update\"},{\"op\":\"remove\",\"path\":\"/status/currentUpdate\"}]" || :
  request "$name"
done
