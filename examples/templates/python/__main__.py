import pulumi
import pulumi_docs_hosting as docs_hosting

config = pulumi.Config()

# Exports again whenever `version` changes. In between, `pulumi up` only renews the link before it ends.
docs = docs_hosting.StaticExport(
    "docs",
    domain=config.require("domain"),
    version=config.require("version"),
)

pulumi.export("pages", docs.page_count)
pulumi.export("link", docs.bundle_url)  # a secret
