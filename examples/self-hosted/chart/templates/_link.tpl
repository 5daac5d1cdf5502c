{{- /*
Checks the link here and not in values.schema.json, because Helm prints a value that does not match the schema. No message and no function
whose errors quote arguments may receive the link, so urlParse is not used.
*/ -}}
{{- define "docs-server.checkLink" -}}
{{- $link := .Values.staticExport.bundleUrl -}}
{{- if not (kindIs "string" $link) -}}
{{- fail "\n\nstaticExport.bundleUrl must be a string, the bundleUrl of the export." -}}
{{- else if eq $link "" -}}
{{- fail "\n\nstaticExport.enabled is true, so staticExport.bundleUrl is needed: the bundleUrl of the export." -}}
{{- else if hasPrefix "http://" (lower $link) -}}
{{- if not .Values.fetch.allowHttp -}}
{{- fail "\n\nstaticExport.bundleUrl is an http: link, which anybody on the network path can read and change. To allow it, for example for a store on an internal network, set fetch.allowHttp to true." -}}
{{- end -}}
{{- else if not (hasPrefix "https://" (lower $link)) -}}
{{- fail "\n\nstaticExport.bundleUrl must be an https: URL (its value is not shown here, because it is a secret)." -}}
{{- end -}}
{{- if regexMatch "[\\s\\x00-\\x1f\\x7f]" $link -}}
{{- fail "\n\nstaticExport.bundleUrl contains a space, a line break or a control character, which is not allowed in a URL (its value is not shown here, because it is a secret)." -}}
{{- end -}}
{{- if regexMatch "^[^:]*://[^/?#]*@" $link -}}
{{- fail "\n\nstaticExport.bundleUrl contains a user name or password; the permission must be in its path or query (its value is not shown here, because it is a secret)." -}}
{{- end -}}
{{- end -}}

{{- /* The TCP ports of the links, as a JSON list. They are not secret, and the network policy must allow them. */ -}}
{{- define "docs-server.linkPorts" -}}
{{- $ports := list -}}
{{- range include "docs-server.links" . | fromJson -}}
{{- $link := b64dec . -}}
{{- $authority := regexReplaceAll "^[^:]*://([^/?#]*).*$" $link "${1}" -}}
{{- if regexMatch ":[0-9]{1,5}$" $authority -}}
{{- $ports = append $ports (regexReplaceAll "^.*:" $authority "" | atoi) -}}
{{- else -}}
{{- $ports = append $ports (ternary 80 443 (hasPrefix "http://" (lower $link))) -}}
{{- end -}}
{{- end -}}
{{- toJson $ports -}}
{{- end -}}
