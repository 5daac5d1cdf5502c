import { SearchBox } from "./searchBox";

export const metadata = { title: "Search" };

export default function Search() {
  return (
    <>
      <h1>Search</h1>
      <SearchBox />
    </>
  );
}
