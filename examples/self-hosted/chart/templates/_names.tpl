{{- define "docs-server.name" -}}
{{- $name := default .Chart.Name .Values.nameOverride | trunc 63 -}}
{{- regexReplaceAll "[^A-Za-z0-9]+$" $name "" -}}
{{- end -}}

{{- /*
The name of all objects. A Service's name must begin with a letter and has no dot, while a release may be named after a domain or begin
with a digit: such a name gets the nearest valid one. A valid name stays as it is.
*/ -}}
{{- define "docs-server.fullname" -}}
{{- $wanted := "" -}}
{{- if .Values.fullnameOverride -}}
{{- $wanted = .Values.fullnameOverride -}}
{{- else -}}
{{- $name := include "docs-server.name" . -}}
{{- $wanted = ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- end -}}
{{- $wanted = regexReplaceAll "[^a-z0-9-]" (lower $wanted) "-" -}}
{{- if regexMatch "^[^a-z]" $wanted -}}
{{- $wanted = printf "docs-%s" (trimPrefix "-" $wanted) -}}
{{- end -}}
{{- regexReplaceAll "-+$" (trunc 50 $wanted) "" -}}
{{- end -}}

{{- define "docs-server.selectorLabels" -}}
app.kubernetes.io/name: {{ include "docs-server.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "docs-server.labels" -}}
helm.sh/chart: {{ regexReplaceAll "[^A-Za-z0-9]+$" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63) "" | quote }}
{{ include "docs-server.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
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

{{- /* The path below which the site is served: that of the site, if there is one. */ -}}
{{- define "docs-server.basePath" -}}
{{- ternary .Values.web.basePath "" (and .Values.staticExport.enabled (ne .Values.web.basePath "")) -}}
{{- end -}}
