{{- /*
The source of the site: «nothing»; «link», a bundle that an init container fetches; «siteImage», an image that serves the site;
«volume», an image that is mounted.
*/ -}}
{{- define "docs-server.source" -}}
{{- if not .Values.staticExport.enabled -}}nothing
{{- else if .Values.siteImage -}}siteImage
{{- else if .Values.siteVolume.image -}}volume
{{- else -}}link
{{- end -}}
{{- end -}}

{{- /* The image that contains the site, if there is one. */ -}}
{{- define "docs-server.imageOfSite" -}}
{{- get (dict "siteImage" .Values.siteImage "volume" .Values.siteVolume.image) (include "docs-server.source" .) -}}
{{- end -}}

{{- /* The folder of the site in nginx's container, if the site is in an image. */ -}}
{{- define "docs-server.siteFolder" -}}
{{- get (dict "siteImage" "/usr/share/nginx/html" "volume" "/site/site") (include "docs-server.source" .) -}}
{{- end -}}

{{- define "docs-server.checkSource" -}}
{{- $source := include "docs-server.source" . -}}
{{- if eq $source "link" -}}
{{- include "docs-server.checkLink" . -}}
{{- else if ne $source "nothing" -}}
{{- if and .Values.siteImage .Values.siteVolume.image -}}
{{- fail "\n\nsiteImage and siteVolume.image are two images of a site: set only one of them." -}}
{{- end -}}
{{- if .Values.staticExport.bundleUrl -}}
{{- fail (printf "\n\n%s is set, so nothing is fetched: remove staticExport.bundleUrl (its value is not shown here, because it is a secret)." (ternary "siteImage" "siteVolume.image" (eq $source "siteImage"))) -}}
{{- end -}}
{{- end -}}
{{- if eq $source "volume" -}}
{{- $version := .Capabilities.KubeVersion.Version -}}
{{- $needs := printf "\n\nsiteVolume.image needs image volumes, which Kubernetes has from 1.35 on; this is %s." $version -}}
{{- if semverCompare "<1.31-0" $version -}}
{{- fail (printf "%s Give an image that serves the site by itself, as siteImage: that of a BundleCopy whose destination has a base, an nginx image." $needs) -}}
{{- else if and (semverCompare "<1.35-0" $version) (not .Values.siteVolume.featureGate) -}}
{{- fail (printf "%s Give an image that serves the site by itself, as siteImage: that of a BundleCopy whose destination has a base, an nginx image. Or, if this cluster has the feature gate ImageVolume switched on, set siteVolume.featureGate to true." $needs) -}}
{{- end -}}
{{- end -}}
{{- end -}}
