import Link from "next/link";
import "./style.css";

export const metadata = { title: { default: "Lamp manual", template: "%s – Lamp manual" } };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/">Start</Link>
          <Link href="/guide">Guide</Link>
          <Link href="/guide/install">Installing</Link>
          <Link href="/guide/search">Search</Link>
        </nav>
        <main>{children}</main>
      </body>
    </html>
  );
}
