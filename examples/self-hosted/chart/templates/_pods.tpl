{{- /* Omits the ids on OpenShift, which assigns them and refuses fixed ones. */ -}}
{{- define "docs-server.podSecurityContext" -}}
{{- $context := .Values.podSecurityContext -}}
{{- if .Values.openshift -}}
{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" -}}
{{- end -}}
{{- toYaml $context -}}
{{- end -}}

{{- /* Labels of the pod of `helm test`: the Service must not select it. */ -}}
{{- define "docs-server.testLabels" -}}
app.kubernetes.io/name: {{ include "docs-server.name" . | trunc 58 | printf "%s-test" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- /*
A pod that uses more than its containers may is evicted, and the next one again: so whoever gives the site more room is told
here to raise the limits, too.
*/ -}}
{{- define "docs-server.checkEphemeralStorage" -}}
{{- $volume := include "docs-server.bytes" .Values.siteVolume.sizeLimit -}}
{{- range $name, $resources := dict "resources" .Values.resources "fetch.resources" .Values.fetch.resources -}}
{{- $limit := dig "limits" "ephemeral-storage" "" $resources -}}
{{- if and $limit (lt (include "docs-server.bytes" $limit | float64) ($volume | float64)) -}}
{{- fail (printf "\n\n%s.limits.ephemeral-storage (%v) is less than siteVolume.sizeLimit (%v), so that Kubernetes would evict pods with a large site." $name $limit $.Values.siteVolume.sizeLimit) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "docs-server.bytes" -}}
{{- $quantity := toString . -}}
{{- $unit := regexFind "[A-Za-z]*$" $quantity -}}
{{- $factors := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- mulf (trimSuffix $unit $quantity | float64) (get $factors $unit | float64) -}}
{{- end -}}
