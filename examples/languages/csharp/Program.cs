using System.Collections.Generic;
using Pulumi;
using Pulumi.DocsHosting;
using Pulumi.DocsHosting.Inputs;

return await Deployment.RunAsync(() =>
{
    // Exports again whenever `version` changes. In between, `pulumi up` only renews the link before it ends.
    var docs = new StaticExport("docs", new StaticExportArgs
    {
        Domain = "docs.example.com",
        Version = new Config().Require("version"),
    });

    // A durable copy of the archive. It takes the job and no link: a renewed link changes nothing here.
    var copy = new BundleCopy("copy", new BundleCopyArgs
    {
        Source = new BundleSourceArgs
        {
            Domain = docs.Domain,
            Version = docs.Version,
            JobId = docs.JobId,
        },
        Destination = new DestinationArgs { Folder = "copies" },
    });

    return new Dictionary<string, object?>
    {
        ["pages"] = docs.PageCount,
        ["link"] = docs.BundleUrl, // a secret
        ["archive"] = copy.Uri,
    };
});
