{{- /*
The identity of the served content: the image with its digest; otherwise label, job, and the archive's digest if it is known. Of the
export, the pod template depends only on this. So new content always rolls the pods, and a renewed link never does.
*/ -}}
{{- define "docs-server.contentId" -}}
{{- $export := .Values.staticExport -}}
{{- $told := list ($export.version | default "") ($export.jobId | default "") (.Values.fetch.sha256 | default "") | join "\n" -}}
{{- include "docs-server.imageOfSite" . | default $told | sha256sum | trunc 16 -}}
{{- end -}}

{{- /*
The links that pods may need, as JSON: content id to link in base64. A site in an image needs none, but pods of earlier revisions may
still need theirs.
*/ -}}
{{- define "docs-server.links" -}}
{{- $own := dict -}}
{{- if eq (include "docs-server.source" .) "link" -}}
{{- $_ := set $own (include "docs-server.contentId" .) (.Values.staticExport.bundleUrl | b64enc) -}}
{{- end -}}
{{- $name := printf "%s-static-export" (include "docs-server.fullname" .) -}}
{{- $needed := dict "root" . "kind" "Secret" "name" $name "annotation" "docs-server/content" | include "docs-server.stillNeeded" -}}
{{- range $key, $value := fromJson $needed -}}
{{- if not (or (hasKey $own $key) (hasSuffix ".previous" $key)) -}}
{{- $_ := set $own $key $value -}}
{{- end -}}
{{- end -}}
{{- toJson $own -}}
{{- end -}}

{{- /*
What else the Secret has, as JSON: for a content, the id of the one that was served before it, in base64. A pod fetches the files of that
one, too, as long as the Secret has its link. It is the content of the newest other ReplicaSet with ready pods: not of a release that
never became ready. Without a cluster, as in `helm template`, nothing is known.
*/ -}}
{{- define "docs-server.previous" -}}
{{- $name := printf "%s-static-export" (include "docs-server.fullname" .) -}}
{{- $needed := dict "root" . "kind" "Secret" "name" $name "annotation" "docs-server/content" | include "docs-server.stillNeeded" | fromJson -}}
{{- $previous := dict -}}
{{- range $key, $value := $needed -}}
{{- if hasSuffix ".previous" $key -}}
{{- $_ := set $previous $key $value -}}
{{- end -}}
{{- end -}}
{{- if eq (include "docs-server.source" .) "link" -}}
{{- $own := include "docs-server.contentId" . -}}
{{- $deployment := include "docs-server.fullname" . -}}
{{- $newest := 0 -}}
{{- range (lookup "apps/v1" "ReplicaSet" .Release.Namespace "").items -}}
{{- $id := get (.spec.template.metadata.annotations | default dict) "docs-server/content" -}}
{{- $revision := index (.metadata.annotations | default dict) "deployment.kubernetes.io/revision" | default "1" | int -}}
{{- $isReady := gt (int ((.status | default dict).readyReplicas | default 0)) 0 -}}
{{- range .metadata.ownerReferences -}}
{{- if and (eq .name $deployment) (eq .kind "Deployment") $isReady (ne $id "") (ne $id $own) (gt $revision $newest) -}}
{{- $newest = $revision -}}
{{- $_ := set $previous (printf "%s.previous" $own) ($id | b64enc) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $previous -}}
{{- end -}}

{{- /* The files of both containers, as JSON: name to text. */ -}}
{{- define "docs-server.files" -}}
{{- $files := dict "nginx.conf" (tpl (.Files.Get "files/nginx.conf") .) "serve.sh" (.Files.Get "files/serve.sh") -}}
{{- $source := include "docs-server.source" . -}}
{{- if eq $source "link" -}}
{{- $_ := set $files "fetch-bundle.sh" (.Files.Get "files/fetch-bundle.sh") -}}
{{- $_ := set $files "compress.sh" (.Files.Get "files/compress.sh") -}}
{{- else if eq $source "nothing" -}}
{{- $_ := set $files "index.html" (.Files.Get "files/disabled.html") -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}

{{- define "docs-server.filesId" -}}
{{- include "docs-server.files" . | sha256sum | trunc 16 -}}
{{- end -}}

{{- /*
The entries of an object that pods of earlier revisions still need after this release writes it, as JSON: key to data. A pod of the
served revision may have to restart long after a later revision failed or was killed. So each key begins with the id of a content or of a
set of files, and stays while a ReplicaSet of this Deployment names that id. Without a cluster, as in `helm template`, nothing is kept.

Arguments: root, kind and name of the object, the annotation of the pods that contains the id.
*/ -}}
{{- define "docs-server.stillNeeded" -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $deployment := include "docs-server.fullname" .root -}}
{{- $data := (lookup "v1" .kind $namespace .name).data | default dict -}}
{{- $needed := dict -}}
{{- range (lookup "apps/v1" "ReplicaSet" $namespace "").items -}}
{{- $id := get (.spec.template.metadata.annotations | default dict) $.annotation -}}
{{- range .metadata.ownerReferences -}}
{{- range $key, $value := ternary $data dict (and (eq .name $deployment) (ne $id "")) -}}
{{- if hasPrefix $id $key -}}
{{- $_ := set $needed $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $needed -}}
{{- end -}}
