import Link from "next/link";

export default function NotFound() {
  return (
    <>
      <h1>No such page in the lamp manual</h1>
      <Link href="/">To the start</Link>
    </>
  );
}
