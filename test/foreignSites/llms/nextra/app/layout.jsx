import { getPageMap } from "nextra/page-map";
import { Footer, Layout, Navbar } from "nextra-theme-docs";
import "nextra-theme-docs/style.css";

export const metadata = { title: { default: "Fastify", template: "%s – Fastify" } };

export default async function RootLayout({ children }) {
  return (
    <html lang="en" dir="ltr" suppressHydrationWarning>
      <body>
        <Layout navbar={<Navbar logo="Fastify" />} pageMap={await getPageMap()} footer={<Footer>MIT</Footer>}>
          {children}
        </Layout>
      </body>
    </html>
  );
}
