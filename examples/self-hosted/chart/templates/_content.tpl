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
{{- $needed := include "docs-server.earlierLinks" . -}}
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
{{- $needed := include "docs-server.earlierLinks" . | fromJson -}}
{{- $previous := dict -}}
{{- range $key, $value := $needed -}}
{{- if hasSuffix ".previous" $key -}}
{{- $_ := set $previous $key $value -}}
{{- end -}}
{{- end -}}
{{- if eq (include "docs-server.source" .) "link" -}}
{{- $own := include "docs-server.contentId" . -}}
{{- if .Values.lookupReplicaSets -}}
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
{{- else -}}
{{- $before := include "docs-server.linksObject" . | fromJson | merge (dict "root" .) | include "docs-server.keptIds" | fromJsonArray | rest -}}
{{- if and $before (hasKey $needed (first $before)) (not (hasKey $previous (printf "%s.previous" $own))) -}}
{{- $_ := set $previous (printf "%s.previous" $own) (first $before | b64enc) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $previous -}}
{{- end -}}

{{- /* The two objects with entries of several revisions, as arguments of the templates below, but `root`. */ -}}
{{- define "docs-server.linksObject" -}}
{{- $name := printf "%s-static-export" (include "docs-server.fullname" .) -}}
{{- dict "kind" "Secret" "name" $name "annotation" "docs-server/content" "own" (include "docs-server.contentId" .) | toJson -}}
{{- end -}}

{{- define "docs-server.filesObject" -}}
{{- $name := printf "%s-server" (include "docs-server.fullname" .) -}}
{{- dict "kind" "ConfigMap" "name" $name "annotation" "docs-server/files" "own" (include "docs-server.filesId" .) | toJson -}}
{{- end -}}

{{- define "docs-server.earlierLinks" -}}
{{- include "docs-server.linksObject" . | fromJson | merge (dict "root" .) | include "docs-server.stillNeeded" -}}
{{- end -}}

{{- /* A text in quotes as nginx reads it. It has no variable and no control character: the schema refuses them. */ -}}
{{- define "docs-server.nginxText" -}}
"{{ . | replace "\\" "\\\\" | replace "\"" "\\\"" }}"
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
set of files, and stays while a ReplicaSet of this Deployment names that id. A deployer who may not list ReplicaSets keeps the entries of
the last releases instead. Without a cluster, as in `helm template`, nothing is kept.

Arguments: root, kind and name of the object, the annotation of the pods that contains the id, this release's own id.
*/ -}}
{{- define "docs-server.stillNeeded" -}}
{{- $namespace := .root.Release.Namespace -}}
{{- $data := (lookup "v1" .kind $namespace .name).data | default dict -}}
{{- $ids := list -}}
{{- if .root.Values.lookupReplicaSets -}}
{{- $deployment := include "docs-server.fullname" .root -}}
{{- range (lookup "apps/v1" "ReplicaSet" $namespace "").items -}}
{{- $id := get (.spec.template.metadata.annotations | default dict) $.annotation -}}
{{- range .metadata.ownerReferences -}}
{{- if and (eq .name $deployment) (ne $id "") -}}
{{- $ids = append $ids $id -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- $ids = include "docs-server.keptIds" . | fromJsonArray -}}
{{- end -}}
{{- $needed := dict -}}
{{- range $key, $value := $data -}}
{{- if has (trunc 16 $key) $ids -}}
{{- $_ := set $needed $key $value -}}
{{- end -}}
{{- end -}}
{{- toJson $needed -}}
{{- end -}}

{{- /*
The ids of this release and of those before it, the newest first, as a JSON list: as many as the Deployment keeps revisions, and at least three before this one. An annotation of
the object has their order; ids that are not in it are of a release that listed ReplicaSets. Arguments as above.
*/ -}}
{{- define "docs-server.keptIds" -}}
{{- $object := lookup "v1" .kind .root.Release.Namespace .name -}}
{{- $known := get (dig "metadata" "annotations" dict $object) "docs-server/kept" | splitList "," | compact -}}
{{- $limit := ternary 10 (int .root.Values.revisionHistoryLimit) (kindIs "invalid" .root.Values.revisionHistoryLimit) -}}
{{- $ids := prepend (without $known .own) .own -}}
{{- $ids = slice $ids 0 (min (len $ids) (max 3 $limit | add1) | int) -}}
{{- range $key, $_ := $object.data | default dict -}}
{{- $id := trunc 16 $key -}}
{{- if not (has $id (concat $known $ids)) -}}
{{- $ids = append $ids $id -}}
{{- end -}}
{{- end -}}
{{- toJson $ids -}}
{{- end -}}

{{- /* That annotation of an object. Arguments as above. */ -}}
{{- define "docs-server.keptAnnotation" -}}
{{- if not .root.Values.lookupReplicaSets -}}
docs-server/kept: {{ include "docs-server.keptIds" . | fromJsonArray | join "," | quote }}
{{- end -}}
{{- end -}}
