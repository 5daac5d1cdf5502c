# Wakes stacks that the operator has given up, three kinds of them:
# - an update failed too often: a new request starts its count at 0 again;
# - the workspace failed, of which the operator makes another when it is gone; nothing runs in one that failed;
# - a run is awaited whose Update is gone (pulumi-kubernetes-operator#1292): the stack forgets it. Looked at twice, for between
#   the name of an Update and the Update itself there is a moment; and the name is compared in the same request.
set -eu

request() {
  kubectl annotate stacks.pulumi.com "$1" --overwrite "pulumi.com/reconciliation-request=wake-$(date +%s)"
}

condition() { # TYPE FIELD
  printf '{.status.conditions[?(@.type=="%s")].%s}' "$1" "$2"
}

stalled="{range .items[*]}{.metadata.name} $(condition Stalled status) $(condition Stalled reason){\"\\n\"}{end}"
kubectl get stacks.pulumi.com --selector "$SELECTOR" --output "jsonpath=$stalled" | while read -r name status reason; do
  [ "$status" = True ] || continue
  echo "$name: stalled, $reason"
  if [ "$reason" = WorkspaceFailed ]; then
    kubectl delete workspaces.auto.pulumi.com "$name" --ignore-not-found --wait=false
  fi
  request "$name"
done

# Stacks that have been at one Update since long, whose Update is not there.
before=$(date -u -d "@$(($(date +%s) - STUCK_SECONDS))" +%Y-%m-%dT%H:%M:%SZ)
busy="{range .items[*]}{.metadata.name} $(condition Reconciling lastTransitionTime) {.status.currentUpdate.name}{\"\\n\"}{end}"
stuck() {
  kubectl get stacks.pulumi.com --selector "$SELECTOR" --output "jsonpath=$busy" | while read -r name since update; do
    [ -n "$update" ] && expr "$since" \< "$before" >/dev/null || continue
    found=$(kubectl get updates.auto.pulumi.com "$update" --ignore-not-found --output name)
    [ -n "$found" ] || echo "$name $update"
  done
}

first=$(stuck)
[ -n "$first" ] || exit 0
sleep "$SECOND_LOOK_SECONDS"
stuck | while read -r name update; do
  case "$first" in *"$name $update"*) ;; *) continue ;; esac
  echo "$name: waits for $update, which is gone"
  kubectl patch stacks.pulumi.com "$name" --subresource status --type json --patch \
    "[{\"op\":\"test\",\"path\":\"/status/currentUpdate/name\",\"value\":\"$update\"},{\"op\":\"remove\",\"path\":\"/status/currentUpdate\"}]"
  request "$name"
done
