{{- define "docs-server.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "docs-server.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "docs-server.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "docs-server.selectorLabels" -}}
app.kubernetes.io/name: {{ include "docs-server.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "docs-server.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "docs-server.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end -}}

{{- /* The image of nginx's container and of the test: the site's own image if there is one. */ -}}
{{- define "docs-server.webImage" -}}
{{- if eq (include "docs-server.source" .) "siteImage" -}}{{ .Values.siteImage }}{{- else -}}{{ include "docs-server.image" . }}{{- end -}}
{{- end -}}

{{- define "docs-server.image" -}}
{{- .Values.image.repository -}}
{{- with .Values.image.tag -}}:{{ . }}{{- end -}}
{{- with .Values.image.digest -}}@{{ . }}{{- end -}}
{{- end -}}
