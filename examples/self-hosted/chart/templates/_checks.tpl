{{- /*
What the API server would refuse after it made other objects, or the kubelet later. Much of it is what Helm merges: a user's value, and the
default of a value beside it, which do not fit together.
*/ -}}
{{- define "docs-server.checkPods" -}}
{{- include "docs-server.checkResources" (dict "name" "resources" "resources" .Values.resources) -}}
{{- include "docs-server.checkUser" . -}}
{{- include "docs-server.checkPrivileges" . -}}
{{- include "docs-server.checkDrain" . -}}
{{- if and (eq (toString .Values.dnsPolicy) "None") (not .Values.dnsConfig.nameservers) -}}
{{- fail "\n\ndnsPolicy is None, so dnsConfig.nameservers must name at least one name server." -}}
{{- end -}}
{{- if eq (include "docs-server.source" .) "link" -}}
{{- include "docs-server.checkResources" (dict "name" "fetch.resources" "resources" .Values.fetch.resources) -}}
{{- include "docs-server.checkEphemeralStorage" . -}}
{{- include "docs-server.checkEnvironment" . -}}
{{- end -}}
{{- end -}}

{{- /*
Names of labels and annotations: valid ones (what Helm says of a broken rule of the schema on names has a wrong address), and none that the
chart sets itself.
*/ -}}
{{- define "docs-server.checkNames" -}}
{{- $selecting := list "app.kubernetes.io/name" "app.kubernetes.io/instance" -}}
{{- $own := dict "podLabels" $selecting "commonLabels" (concat $selecting (list "app.kubernetes.io/version" "app.kubernetes.io/managed-by" "helm.sh/chart")) "podAnnotations" (list "docs-server/files" "docs-server/content") -}}
{{- range $group := list "commonLabels" "podLabels" "podAnnotations" "nodeSelector" "service.annotations" "ingress.annotations" "httpRoute.annotations" -}}
{{- $names := $.Values -}}
{{- range splitList "." $group -}}
{{- $names = index $names . | default dict -}}
{{- end -}}
{{- range $name, $_ := $names -}}
{{- if not (regexMatch "^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$" $name) -}}
{{- fail (printf "\n\n%s: «%s» is no name of a label or an annotation, such as example.com/team." $group $name) -}}
{{- end -}}
{{- if has $name (get $own $group | default list) -}}
{{- fail (printf "\n\n%s: the chart sets %s itself. Remove it from your values." $group $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The strategy of the Deployment. The default `rollingUpdate` is merged into every other type. */ -}}
{{- define "docs-server.strategy" -}}
{{- $strategy := . -}}
{{- if eq (toString $strategy.type) "Recreate" -}}
{{- $strategy = omit $strategy "rollingUpdate" -}}
{{- end -}}
{{- with $strategy.rollingUpdate -}}
{{- if and (regexMatch "^0+%?$" (toString .maxSurge)) (regexMatch "^0+%?$" (toString .maxUnavailable)) -}}
{{- fail (printf "\n\nstrategy.rollingUpdate.maxSurge is %v and .maxUnavailable is %v, so that no pod could ever be replaced. To replace pods without a further one beside them, set maxUnavailable to 1; requests then have fewer pods in the meantime." .maxSurge .maxUnavailable) -}}
{{- end -}}
{{- end -}}
{{- toYaml $strategy -}}
{{- end -}}

{{- /* A probe: the user's handler replaces the chart's, and an httpGet of the user's is completed by it. */ -}}
{{- define "docs-server.probe" -}}
{{- $given := dict -}}
{{- range $handler, $value := pick .probe "exec" "grpc" "httpGet" "tcpSocket" -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $given $handler $value -}}
{{- end -}}
{{- end -}}
{{- if gt (len $given) 1 -}}
{{- fail (printf "\n\n%s has %s, but a probe has only one handler: remove the others." .name (keys $given | sortAlpha | join " and ")) -}}
{{- end -}}
{{- if or (not $given) $given.httpGet -}}
{{- $own := dict "path" "/-/healthz" "port" "http" -}}
{{- $given = dict "httpGet" (merge (dict) ($given.httpGet | default dict) $own) -}}
{{- end -}}
{{- merge $given (omit .probe "exec" "grpc" "httpGet" "tcpSocket") | toYaml -}}
{{- end -}}

{{- define "docs-server.checkResources" -}}
{{- $resources := .resources | default dict -}}
{{- $limits := $resources.limits | default dict -}}
{{- range $resource, $request := $resources.requests | default dict -}}
{{- $limit := index $limits $resource -}}
{{- if and (not (kindIs "invalid" $limit)) (not (kindIs "invalid" $request)) -}}
{{- if gt (include "docs-server.quantity" $request | float64) (include "docs-server.quantity" $limit | float64) -}}
{{- fail (printf "\n\n%s.requests.%s (%v) is more than %s.limits.%s (%v), which Kubernetes refuses. The one that your values do not set is the chart's default: set both." $.name $resource $request $.name $resource $limit) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The kubelet never starts a container of root that may not be root. */ -}}
{{- define "docs-server.checkUser" -}}
{{- $pod := include "docs-server.podSecurityContext" . | fromYaml -}}
{{- $own := .Values.securityContext | default dict -}}
{{- $user := ternary $own.runAsUser $pod.runAsUser (hasKey $own "runAsUser") -}}
{{- $nonRoot := ternary $own.runAsNonRoot $pod.runAsNonRoot (hasKey $own "runAsNonRoot") -}}
{{- if and $nonRoot (not (kindIs "invalid" $user)) (eq (int64 $user) 0) -}}
{{- fail (printf "\n\n%s.runAsUser is 0, which is root, but %s.runAsNonRoot is true: the kubelet would not start the containers. Set another user, or runAsNonRoot to false." (ternary "securityContext" "podSecurityContext" (hasKey $own "runAsUser")) (ternary "securityContext" "podSecurityContext" (hasKey $own "runAsNonRoot"))) -}}
{{- end -}}
{{- end -}}

{{- define "docs-server.checkPrivileges" -}}
{{- $own := .Values.securityContext | default dict -}}
{{- $gains := list -}}
{{- if $own.privileged -}}
{{- $gains = append $gains "privileged" -}}
{{- end -}}
{{- range ($own.capabilities | default dict).add -}}
{{- if has . (list "SYS_ADMIN" "CAP_SYS_ADMIN") -}}
{{- $gains = append $gains (printf "capabilities.add: [%s]" .) -}}
{{- end -}}
{{- end -}}
{{- if and $gains (kindIs "bool" $own.allowPrivilegeEscalation) (not $own.allowPrivilegeEscalation) -}}
{{- fail (printf "\n\nsecurityContext has %s, but allowPrivilegeEscalation is false (the chart's default), which Kubernetes refuses together. The containers need neither; else set allowPrivilegeEscalation to null." (first $gains)) -}}
{{- end -}}
{{- range $name, $context := dict "podSecurityContext" .Values.podSecurityContext "securityContext" .Values.securityContext -}}
{{- with ($context | default dict).seccompProfile -}}
{{- if and .localhostProfile (ne (toString .type) "Localhost") -}}
{{- fail (printf "\n\n%s.seccompProfile.localhostProfile needs seccompProfile.type to be Localhost; it is %v." $name .type) -}}
{{- else if and (eq (toString .type) "Localhost") (not .localhostProfile) -}}
{{- fail (printf "\n\n%s.seccompProfile.type is Localhost, so seccompProfile.localhostProfile must name a profile of the node." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The kubelet kills a pod after the grace period, also one that still waits for its last requests. */ -}}
{{- define "docs-server.checkDrain" -}}
{{- $grace := ternary 30 .Values.terminationGracePeriodSeconds (kindIs "invalid" .Values.terminationGracePeriodSeconds) -}}
{{- if and .Values.web.drainSeconds (ge (int64 .Values.web.drainSeconds) (int64 $grace)) -}}
{{- fail (printf "\n\nweb.drainSeconds (%d) is not less than terminationGracePeriodSeconds (%d), so that Kubernetes would kill the pods before they have answered their last requests. The one that your values do not set is the default: set both." (int64 .Values.web.drainSeconds) (int64 $grace)) -}}
{{- end -}}
{{- end -}}

{{- /*
A pod that uses more than its containers may is evicted, and the next one again: so whoever gives the site more room is told
here to raise the limits, too.
*/ -}}
{{- define "docs-server.checkEphemeralStorage" -}}
{{- $size := .Values.siteVolume.sizeLimit -}}
{{- range $name, $resources := dict "resources" .Values.resources "fetch.resources" .Values.fetch.resources -}}
{{- $limit := index (($resources | default dict).limits | default dict) "ephemeral-storage" -}}
{{- if and $limit $size (lt (include "docs-server.quantity" $limit | float64) (include "docs-server.quantity" $size | float64)) -}}
{{- fail (printf "\n\n%s.limits.ephemeral-storage (%v) is less than siteVolume.sizeLimit (%v), so that Kubernetes would evict pods with a large site." $name $limit $size) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Of a name twice in the environment, the last counts, and an update of the release may then lose it. */ -}}
{{- define "docs-server.checkEnvironment" -}}
{{- $seen := list "CONTENT_ID" "EXPORT_VERSION" "TIME_LIMIT_SECONDS" "CONNECT_TIMEOUT_SECONDS" "IDLE_TIMEOUT_SECONDS" "MIN_BYTES_PER_SECOND" "MAX_ARCHIVE_BYTES" "MAX_UNPACKED_BYTES" "MAX_ENTRIES" "MAX_PREVIOUS_BYTES" "ALLOW_HTTP" "BUNDLE_SHA256" "CERTIFICATE_AUTHORITY" -}}
{{- range .Values.fetch.extraEnv -}}
{{- if has .name $seen -}}
{{- fail (printf "\n\nfetch.extraEnv sets %s a second time, or the chart sets it from another value: remove it there." .name) -}}
{{- end -}}
{{- $seen = append $seen .name -}}
{{- end -}}
{{- end -}}

{{- /* A quantity of Kubernetes as a number. */ -}}
{{- define "docs-server.quantity" -}}
{{- $quantity := toString . -}}
{{- $unit := regexFind "[A-Za-z]*$" $quantity -}}
{{- $factors := dict "" 1 "n" 1e-9 "u" 1e-6 "m" 1e-3 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 -}}
{{- mulf (trimSuffix $unit $quantity | float64) (get $factors $unit | float64) -}}
{{- end -}}

{{- /* As a dependency's `condition`, Helm itself reads `enabled`, and renders nothing if it is false. */ -}}
{{- define "docs-server.checkCondition" -}}
{{- if and (kindIs "bool" .Values.enabled) (not .Values.enabled) -}}
{{- fail "\n\nenabled is false, which only a parent chart can use, as the condition of its dependency. To serve a page without content, set staticExport.enabled to false." -}}
{{- end -}}
{{- end -}}
