import Link from "next/link";

export const metadata = { title: { default: "Next.js", template: "%s | Next.js" } };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <header>
          <Link href="/docs">Documentation</Link>
        </header>
        {children}
      </body>
    </html>
  );
}
