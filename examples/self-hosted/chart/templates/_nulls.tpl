{{- /*
What a value means that the user sets to null, which Helm removes from the values. `leftOut`: nothing is written, so that Kubernetes or
another program decides. `needed`: null means nothing, and is refused. Everything else is the value that takes its place.

`helm upgrade --reuse-values` also takes the defaults of the release before: a value that the chart did not have yet is missing, as if it were
null. So a value that was added after chart 0.3.0 is neither `leftOut` nor `needed`: its default takes its place.
*/ -}}
{{- define "docs-server.meaningsOfNull" -}}
staticExport: {}
staticExport.enabled: false
staticExport.bundleUrl: leftOut
staticExport.version: ""
staticExport.jobId: ""
siteImage: ""
siteVolume: {}
siteVolume.image: ""
siteVolume.featureGate: false
siteVolume.sizeLimit: leftOut
features: {}
image: needed
image.repository: needed
image.tag: ""
image.digest: ""
image.pullPolicy: leftOut
imagePullSecrets: []
nameOverride: ""
fullnameOverride: ""
commonLabels: {}
replicas: leftOut
autoscaling: { enabled: false }
autoscaling.enabled: false
autoscaling.minReplicas: needed
autoscaling.maxReplicas: needed
autoscaling.targetCPUUtilizationPercentage: needed
autoscaling.behavior: {}
strategy: leftOut
revisionHistoryLimit: leftOut
lookupReplicaSets: true
fetch: needed
fetch.sha256: ""
fetch.allowHttp: false
fetch.timeLimitSeconds: needed
fetch.connectTimeoutSeconds: needed
fetch.idleTimeoutSeconds: needed
fetch.minBytesPerSecond: needed
fetch.maxArchiveBytes: needed
fetch.maxUnpackedBytes: needed
fetch.maxEntries: needed
fetch.maxPreviousBytes: 134217728
fetch.certificateAuthority: { configMap: "", key: ca.crt }
fetch.certificateAuthority.configMap: ""
fetch.certificateAuthority.key: needed
fetch.extraEnv: []
fetch.resources: leftOut
web: needed
web.basePath: ""
web.strictPolicy: false
web.contentSecurityPolicy: ""
web.headers: {}
web.immutablePattern: leftOut
web.askOtherPods: true
web.accessLog: needed
web.workerProcesses: needed
web.workerConnections: needed
web.drainSeconds: needed
resources: leftOut
readinessProbe: leftOut
readinessProbe.initialDelaySeconds: 6
livenessProbe: leftOut
terminationGracePeriodSeconds: leftOut
service: needed
service.type: leftOut
service.port: needed
service.nodePort: 0
service.externalTrafficPolicy: ""
service.loadBalancerClass: ""
service.loadBalancerSourceRanges: []
service.ipFamilyPolicy: ""
service.ipFamilies: []
service.annotations: {}
ingress: { enabled: false }
ingress.enabled: false
ingress.className: ""
ingress.annotations: {}
ingress.hosts: []
ingress.tls: []
httpRoute: { enabled: false }
httpRoute.enabled: false
httpRoute.annotations: {}
httpRoute.parentRefs: []
httpRoute.hostnames: []
openshift: false
route: { enabled: false }
route.enabled: false
route.host: ""
route.tls: leftOut
podDisruptionBudget: { enabled: false }
podDisruptionBudget.enabled: needed
podDisruptionBudget.maxUnavailable: needed
networkPolicy: { enabled: false }
networkPolicy.enabled: needed
networkPolicy.from: []
networkPolicy.egressPorts: []
networkPolicy.egressTo: []
serviceAccountName: ""
podAnnotations: {}
podLabels: {}
priorityClassName: ""
runtimeClassName: ""
nodeSelector: {}
tolerations: []
affinity: {}
hostAliases: []
dnsPolicy: ""
dnsConfig: {}
topologySpread: { enabled: false }
topologySpread.enabled: needed
topologySpread.topologyKey: needed
topologySpread.whenUnsatisfiable: needed
podSecurityContext: leftOut
securityContext: leftOut
{{- end -}}

{{- /*
Puts those meanings into the values. Each manifest begins with it, because Helm renders them in any order. The values of a group that is
switched off are not judged.
*/ -}}
{{- define "docs-server.readNulls" -}}
{{- range $name, $meaning := include "docs-server.meaningsOfNull" . | fromYaml -}}
{{- $names := splitList "." $name -}}
{{- $group := $.Values -}}
{{- range initial $names -}}
{{- $group = ternary dict (index $group .) (kindIs "invalid" (index $group .)) -}}
{{- end -}}
{{- $key := last $names -}}
{{- $isOff := and (hasKey $group "enabled") (not (index $group "enabled")) (ne $key "enabled") -}}
{{- if kindIs "invalid" (index $group $key) -}}
{{- if and (eq (toString $meaning) "needed") (not $isOff) -}}
{{- fail (printf "\n\n%s is null, which has no meaning here. Give it a value, or remove it from your values to get the default." $name) -}}
{{- end -}}
{{- if not (has (toString $meaning) (list "leftOut" "needed")) -}}
{{- $_ := set $group $key $meaning -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
