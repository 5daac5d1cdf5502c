# Restarts stacks that the operator has given up, for one of two reasons:
# - Updates or the workspace failed too often. A new request resets the count, in a new workspace. Nothing runs in the old workspace,
#   and it may contain the cause of the failures: for example, only a new pod removes the lock of a killed CLI.
# - The stack waits for a run whose Update is gone (pulumi-kubernetes-operator#1292). The script removes the reference. It checks twice,
#   because the operator creates an Update shortly after its name, and the request to remove the reference names the Update.
# A failure for one stack does not affect the others; kubectl prints it.
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
