"use client";
import Link from "next/link";
import { useEffect, useState } from "react";

export function SearchBox() {
  const [index, setIndex] = useState([]);
  const [words, setWords] = useState("");
  useEffect(() => {
    fetch("/search-index.json")
      .then((answer) => answer.json())
      .then(setIndex);
  }, []);
  const found = words === "" ? [] : index.filter(({ text }) => text.includes(words.toLowerCase()));
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Search"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <ul>
        {found.map(({ title, path }) => (
          <li key={path}>
            <Link href={path}>{title}</Link>
          </li>
        ))}
      </ul>
    </form>
  );
}
