package main

import (
	"example.com/pulumi-docs-hosting/sdk/go/docshosting"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// Exports again whenever `version` changes. In between, `pulumi up` only renews the link before it ends.
		docs, err := docshosting.NewStaticExport(ctx, "docs", &docshosting.StaticExportArgs{
			Domain:  pulumi.String("docs.example.com"),
			Version: pulumi.String(config.Require(ctx, "version")),
		})
		if err != nil {
			return err
		}

		// A durable copy of the archive. It takes the job and no link: a renewed link changes nothing here.
		stored, err := docshosting.NewBundleCopy(ctx, "copy", &docshosting.BundleCopyArgs{
			Source: docshosting.BundleSourceArgs{
				Domain:  docs.Domain,
				Version: docs.Version,
				JobId:   docs.JobId,
			},
			Destination: docshosting.DestinationArgs{Folder: pulumi.String("copies")},
		})
		if err != nil {
			return err
		}

		ctx.Export("pages", docs.PageCount)
		ctx.Export("link", docs.BundleUrl) // a secret
		ctx.Export("archive", stored.Uri)
		return nil
	})
}
