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
{{- merge $own (fromJson $needed) | toJson -}}
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
