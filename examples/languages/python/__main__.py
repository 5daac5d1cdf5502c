import pulumi
import pulumi_docs_hosting as docs_hosting

# Exports again whenever `version` changes. In between, `pulumi up` only renews the link before it ends.
docs = docs_hosting.StaticExport(
    "docs",
    domain="docs.example.com",
    version=pulumi.Config().require("version"),
)

# A durable copy of the archive. It takes the job and no link: a renewed link changes nothing here.
copy = docs_hosting.BundleCopy(
    "copy",
    source={"domain": docs.domain, "version": docs.version, "job_id": docs.job_id},
    destination={"folder": "copies"},
)

pulumi.export("pages", docs.page_count)
pulumi.export("link", docs.bundle_url)  # a secret
pulumi.export("archive", copy.uri)
