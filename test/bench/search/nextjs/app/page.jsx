import Link from "next/link";

export default function Start() {
  return (
    <main>
      <h1>Next.js</h1>
      <Link href="/docs">Documentation</Link>
    </main>
  );
}
