{{- /* Provisioners whose volumes only one node can mount. */ -}}
{{- define "docs-server.blockProvisioners" -}}
- kubernetes.io/aws-ebs
- ebs.csi.aws.com
- ebs.csi.eks.amazonaws.com
- kubernetes.io/gce-pd
- pd.csi.storage.gke.io
- kubernetes.io/azure-disk
- disk.csi.azure.com
- kubernetes.io/cinder
- cinder.csi.openstack.org
- kubernetes.io/vsphere-volume
- diskplugin.csi.alibabacloud.com
- blockvolume.csi.oraclecloud.com
- dobs.csi.digitalocean.com
- linodebs.csi.linode.com
- csi.hetzner.cloud
- csi.scaleway.com
- rbd.csi.ceph.com
- rook-ceph.rbd.csi.ceph.com
- openshift-storage.rbd.csi.ceph.com
- topolvm.io
- topolvm.cybozu.com
- local.csi.openebs.io
- openebs.io/local
- rancher.io/local-path
{{- end -}}

{{- /* Those of the value; else those that the claim has, which cannot be changed; else what the storage class can give. */ -}}
{{- define "docs-server.cacheAccessModes" -}}
{{- $modes := .Values.cache.accessModes -}}
{{- if not $modes -}}
{{- $claim := lookup "v1" "PersistentVolumeClaim" .Release.Namespace (include "docs-server.cacheClaim" .) -}}
{{- $modes = dig "spec" "accessModes" (list) $claim -}}
{{- end -}}
{{- if and (not $modes) (not .Values.cache.existingClaim) -}}
{{- if has (include "docs-server.cacheProvisioner" .) (include "docs-server.blockProvisioners" . | fromYamlArray) -}}
{{- $modes = list "ReadWriteOnce" -}}
{{- end -}}
{{- end -}}
{{- toYaml ($modes | default (list "ReadWriteMany")) -}}
{{- end -}}

{{- /* Of the named storage class, or of the cluster's default, of several the newest; empty where no cluster is asked. */ -}}
{{- define "docs-server.cacheProvisioner" -}}
{{- $class := dict -}}
{{- if and .Values.cache.storageClass (ne .Values.cache.storageClass "-") -}}
{{- $class = lookup "storage.k8s.io/v1" "StorageClass" "" .Values.cache.storageClass -}}
{{- else if not .Values.cache.storageClass -}}
{{- range (lookup "storage.k8s.io/v1" "StorageClass" "" "").items -}}
{{- $isDefault := dig "metadata" "annotations" "storageclass.kubernetes.io/is-default-class" "" . -}}
{{- if and (eq $isDefault "true") (ge .metadata.creationTimestamp (dig "metadata" "creationTimestamp" "" $class)) -}}
{{- $class = . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- get $class "provisioner" -}}
{{- end -}}

{{- /* Not empty when the pods share a volume that only one node can mount. */ -}}
{{- define "docs-server.isOnOneNode" -}}
{{- if and .Values.staticExport.enabled .Values.cache.enabled -}}
{{- $modes := include "docs-server.cacheAccessModes" . | fromYamlArray -}}
{{- if not (has "ReadWriteMany" $modes) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The affinity of the values, and in addition to where other pods of this release are. */ -}}
{{- define "docs-server.affinityToOneNode" -}}
{{- $beside := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (include "docs-server.selectorLabels" . | fromYaml)) -}}
{{- $affinity := deepCopy .Values.affinity -}}
{{- $pods := $affinity.podAffinity | default dict -}}
{{- $required := append ($pods.requiredDuringSchedulingIgnoredDuringExecution | default list) $beside -}}
{{- $_ := set $pods "requiredDuringSchedulingIgnoredDuringExecution" $required -}}
{{- $_ := set $affinity "podAffinity" $pods -}}
{{- toYaml $affinity -}}
{{- end -}}
