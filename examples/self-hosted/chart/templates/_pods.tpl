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

{{- /* Labels of the pod of `helm test`: the Service must not select it. */ -}}
{{- define "docs-server.testLabels" -}}
app.kubernetes.io/name: {{ include "docs-server.name" . | trunc 58 | printf "%s-test" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

