package docs;

import com.pulumi.Pulumi;
import com.pulumi.docshosting.BundleCopy;
import com.pulumi.docshosting.BundleCopyArgs;
import com.pulumi.docshosting.StaticExport;
import com.pulumi.docshosting.StaticExportArgs;
import com.pulumi.docshosting.inputs.BundleSourceArgs;
import com.pulumi.docshosting.inputs.DestinationArgs;

public class App {
  public static void main(String[] args) {
    Pulumi.run(ctx -> {
      // Exports again whenever `version` changes. In between, `pulumi up` only renews the link before it ends.
      var docs = new StaticExport("docs", StaticExportArgs.builder()
          .domain("docs.example.com")
          .version(ctx.config().require("version"))
          .build());

      // A durable copy of the archive. It takes the job and no link: a renewed link changes nothing here.
      var copy = new BundleCopy("copy", BundleCopyArgs.builder()
          .source(BundleSourceArgs.builder()
              .domain(docs.domain())
              .version(docs.version())
              .jobId(docs.jobId())
              .build())
          .destination(DestinationArgs.builder().folder("copies").build())
          .build());

      ctx.export("pages", docs.pageCount());
      ctx.export("link", docs.bundleUrl()); // a secret
      ctx.export("archive", copy.uri());
    });
  }
}
