{{- /* Omits the ids on OpenShift, which assigns them and refuses fixed ones. */ -}}
{{- define "docs-server.podSecurityContext" -}}
{{- $context := .Values.podSecurityContext | default dict -}}
{{- if .Values.openshift -}}
{{- $context = omit $context "runAsUser" "runAsGroup" "fsGroup" -}}
{{- end -}}
{{- /* what is left of a profile whose type is null */ -}}
{{- if not $context.seccompProfile -}}
{{- $context = omit $context "seccompProfile" -}}
{{- end -}}
{{- toYaml $context -}}
{{- end -}}

{{- /*
The user's labels of a pod, with its own. No label contains the chart's version: that would restart the pods. Arguments: root, the pod's own
labels.
*/ -}}
{{- define "docs-server.podLabels" -}}
{{- merge (fromYaml .own) .root.Values.podLabels .root.Values.commonLabels | toYaml -}}
{{- end -}}

{{- /* Labels of the pod of `helm test`: the Service must not select it. */ -}}
{{- define "docs-server.testLabels" -}}
app.kubernetes.io/name: {{ include "docs-server.name" . | trunc 58 | printf "%s-test" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

