{{- /*
A value that is null has no meaning where the chart needs it: it is refused by its name, before a template writes nothing in its place. Each
manifest begins with it, because Helm renders them in any order.
*/ -}}
{{- define "docs-fleet.checkNulls" -}}
{{- range $name := list "engine" "image" "image.repository" "image.tag" "image.pullPolicy" "secretName" "resyncSeconds" "parallel" "updateTtl" "workspaceReclaimPolicy" "resources" "volume" "volume.size" "wake" "wake.enabled" "wake.schedule" "wake.stuckSeconds" "cronjob" "cronjob.deadlineSeconds" -}}
{{- $value := $.Values -}}
{{- range splitList "." $name -}}
{{- $value = index $value . -}}
{{- end -}}
{{- if kindIs "invalid" $value -}}
{{- fail (printf "\n\n%s is null, which has no meaning here. Give it a value, or remove it from your values to get the default.\n" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The names of the team's stacks, as a JSON list: the names of its files. Checks each file, before anything reaches the cluster. */}}
{{- define "docs-fleet.stacks" -}}
{{- $team := .Values.team | default .Release.Namespace -}}
{{- $names := list -}}
{{- range $path, $text := .Files.Glob "sites/**" -}}
  {{- if not (regexMatch "^sites/[a-z0-9]([-a-z0-9]*[a-z0-9])?-[0-9]+\\.json$" $path) -}}
    {{- fail (printf "\n\n%s: the name of a file of sites must be TEAM-NN.json, such as sites/team-a-01.json, with only a-z, 0-9 and \"-\".\n" $path) -}}
  {{- end -}}
  {{- $name := base $path | trimSuffix ".json" -}}
  {{- if eq (regexReplaceAll "-[0-9]+$" $name "") $team -}}
    {{- if gt (len $name) 42 -}}
      {{- fail (printf "\n\n%s: the name of a stack must have at most 42 characters; this one has %d.\n" $path (len $name)) -}}
    {{- end -}}
    {{- $list := fromJson (toString $text) -}}
    {{- if hasKey $list "Error" -}}
      {{- fail (printf "\n\n%s is no JSON object: %s\n" $path $list.Error) -}}
    {{- end -}}
    {{- $sites := get $list "sites" -}}
    {{- if or (not (kindIs "map" $sites)) (eq (len $sites) 0) -}}
      {{- fail (printf "\n\n%s has no sites: it must be { \"sites\": { \"NAME\": { \"domain\": \"docs.example.com\" } } }.\n" $path) -}}
    {{- end -}}
    {{- if gt (len $sites) 100 -}}
      {{- fail (printf "\n\n%s has %d sites; a stack can have at most 100: put the others into another file.\n" $path (len $sites)) -}}
    {{- end -}}
    {{- $names = append $names $name -}}
  {{- end -}}
{{- end -}}
{{- if not $names -}}
  {{- fail (printf "\n\nThere is no file sites/%s-NN.json: a namespace is a team (or the value `team` names it), and each of its files is a stack.\n" $team) -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{- define "docs-fleet.labels" -}}
app.kubernetes.io/name: docs-fleet
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end -}}

{{- define "docs-fleet.image" -}}
{{ required "\n\nimage.repository is required: the image that Dockerfile makes.\n" .Values.image.repository }}:{{ .Values.image.tag }}
{{- end -}}

{{- /* Meets the Pod Security Standard «restricted». */ -}}
{{- define "docs-fleet.securityContext" -}}
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* Security context of the pod. The volume must belong to the image's user. Its files are checked only once, as it may be large. */ -}}
{{- define "docs-fleet.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- /* Environment of each run, name to value. The Secret takes precedence. */ -}}
{{- define "docs-fleet.environment" -}}
PULUMI_HOME: /fleet/home
PULUMI_BACKEND_URL: {{ .Values.backend | default "file:///fleet/state" | quote }}
PULUMI_SKIP_UPDATE_CHECK: "true"
{{- with .Values.baseUrl }}
DOCS_HOSTING_BASE_URL: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "docs-fleet.volumes" -}}
- name: fleet
  persistentVolumeClaim: { claimName: {{ .stack }} }
- name: sites
  configMap: { name: {{ .stack }} }
{{- end -}}

{{- define "docs-fleet.volumeMounts" -}}
- { name: fleet, mountPath: /fleet }
- { name: sites, mountPath: /etc/docs-fleet, readOnly: true }
{{- end -}}

{{- /*
The program is copied to a volume of the pod, where its configuration is written beside it: in the image, a restarted container
would lose that, and run without.
*/ -}}
{{- define "docs-fleet.programContainer" -}}
name: program
image: {{ include "docs-fleet.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command:
  - sh
  - -ec
  - mkdir -p /share/workspace /fleet/home /fleet/state && cp -R /opt/docs-fleet/. /share/workspace
securityContext:
  {{- include "docs-fleet.securityContext" . | nindent 2 }}
volumeMounts:
  - { name: share, mountPath: /share }
  - { name: fleet, mountPath: /fleet }
{{- end -}}

{{- define "docs-fleet.stackName" -}}
{{ with .root.Values.organization }}{{ . }}/docs-fleet/{{ end }}{{ .stack }}
{{- end -}}
