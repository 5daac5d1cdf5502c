{{- /*
A value never remains without effect: where the other values make it one, it is refused by its name. The values of a group that is switched
off by its `enabled` are not judged, so that a switch can be turned off and on again; `staticExport` also switches `siteVolume` and `fetch`.
Neither is `image` beside `siteImage`: values of a kit or for a registry of one's own name both.
*/ -}}
{{- define "docs-server.checkEffects" -}}
{{- $source := include "docs-server.source" . -}}
{{- if eq $source "nothing" -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "siteImage" "siteVolume.image") "why" "staticExport.enabled is false, so that a page without content is served") -}}
{{- else if ne $source "link" -}}
{{- $why := printf "%s is set, so that pods fetch nothing" (ternary "siteImage" "siteVolume.image" (eq $source "siteImage")) -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "fetch" "siteVolume.sizeLimit") "why" $why) -}}
{{- else if not .Values.fetch.certificateAuthority.configMap -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "fetch.certificateAuthority.key") "why" "fetch.certificateAuthority.configMap is not set") -}}
{{- end -}}
{{- if has $source (list "siteImage" "link") -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "siteVolume.featureGate") "why" "no siteVolume.image is mounted") -}}
{{- end -}}
{{- if and (eq $source "link") (not .Values.web.immutablePattern) -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "fetch.maxPreviousBytes") "why" "web.immutablePattern is null, so that no file of another version is served") -}}
{{- end -}}
{{- if .Values.autoscaling.enabled -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "replicas") "why" "autoscaling.enabled is true, so that the autoscaler sets the number of pods between autoscaling.minReplicas and .maxReplicas") -}}
{{- end -}}
{{- if .Values.web.contentSecurityPolicy -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "web.strictPolicy") "why" "web.contentSecurityPolicy replaces the policies of the chart") -}}
{{- end -}}
{{- if eq (toString (.Values.strategy | default dict).type) "Recreate" -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "strategy.rollingUpdate") "why" "strategy.type is Recreate") -}}
{{- end -}}
{{- if .Values.openshift -}}
{{- include "docs-server.refuseUnused" (dict "root" . "names" (list "podSecurityContext.runAsUser" "podSecurityContext.runAsGroup" "podSecurityContext.fsGroup") "why" "openshift is true, so that OpenShift assigns the ids") -}}
{{- end -}}
{{- end -}}

{{- /* The defaults of values.yaml with which those values are compared. A test compares the two. */ -}}
{{- define "docs-server.unusedDefaults" -}}
siteImage: ""
siteVolume.image: ""
siteVolume.sizeLimit: 3Gi
siteVolume.featureGate: false
replicas: 2
strategy.rollingUpdate: { maxUnavailable: 0, maxSurge: 100% }
fetch.sha256: ""
fetch.allowHttp: false
fetch.timeLimitSeconds: 240
fetch.connectTimeoutSeconds: 10
fetch.idleTimeoutSeconds: 30
fetch.minBytesPerSecond: 1024
fetch.maxArchiveBytes: 536870912
fetch.maxUnpackedBytes: 1073741824
fetch.maxEntries: 100000
fetch.maxPreviousBytes: 134217728
fetch.certificateAuthority.configMap: ""
fetch.certificateAuthority.key: ca.crt
fetch.extraEnv: []
fetch.resources:
  requests: { cpu: 100m, memory: 64Mi, ephemeral-storage: 1Gi }
  limits: { memory: 256Mi, ephemeral-storage: 4Gi }
web.strictPolicy: false
podSecurityContext.runAsUser: 101
podSecurityContext.runAsGroup: 101
podSecurityContext.fsGroup: 101
{{- end -}}

{{- /* Arguments: root, the names of values or groups, why they have no effect. */ -}}
{{- define "docs-server.refuseUnused" -}}
{{- $defaults := include "docs-server.unusedDefaults" . | fromYaml -}}
{{- range $name, $default := $defaults -}}
{{- $isMeant := false -}}
{{- range $.names -}}
{{- if or (eq $name .) (hasPrefix (printf "%s." .) $name) -}}
{{- $isMeant = true -}}
{{- end -}}
{{- end -}}
{{- if $isMeant -}}
{{- $value := $.root.Values -}}
{{- range splitList "." $name -}}
{{- $value = index ($value | default dict) . -}}
{{- end -}}
{{- with include "docs-server.changed" (dict "name" $name "value" $value "default" $default) -}}
{{- fail (printf "\n\n%s is set, but has no effect: %s. Remove %s from your values." . $.why .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The name of the first value inside that is not the default, if any. Arguments: name, value, default. */ -}}
{{- define "docs-server.changed" -}}
{{- if and (kindIs "map" .value) (kindIs "map" .default) -}}
{{- $changed := "" -}}
{{- range $key, $value := .value -}}
{{- if not $changed -}}
{{- $changed = include "docs-server.changed" (dict "name" (printf "%s.%s" $.name $key) "value" $value "default" (get $.default $key)) -}}
{{- end -}}
{{- end -}}
{{- $changed -}}
{{- else if not (or (kindIs "invalid" .value) (eq (toJson .value) (toJson .default))) -}}
{{- .name -}}
{{- end -}}
{{- end -}}
