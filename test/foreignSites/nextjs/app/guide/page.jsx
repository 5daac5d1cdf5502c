import Link from "next/link";

export const metadata = { title: "Guide" };

export default function Guide() {
  return (
    <>
      <h1>Guide</h1>
      <p style={{ color: "rgb(0, 90, 0)" }}>A lamp needs a bulb and a socket.</p>
      <Link href="/guide/install">How it is installed</Link>
    </>
  );
}
