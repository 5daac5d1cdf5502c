import Link from "@docusaurus/Link";
import Layout from "@theme/Layout";

export default function Start() {
  return (
    <Layout>
      <main style={{ padding: "2rem" }}>
        <h1>Kettle handbook</h1>
        <Link to="/docs/intro">First steps</Link>
      </main>
    </Layout>
  );
}
