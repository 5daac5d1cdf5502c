import { readFile } from "node:fs/promises";
import Link from "next/link";

export const dynamicParams = false;

const pages = JSON.parse(await readFile("content.json", "utf8"));

export function generateStaticParams() {
  return pages.map(({ path }) => ({ slug: path.split("/") }));
}

export async function generateMetadata({ params }) {
  const { title, description } = await pageOf(params);
  return { title, description };
}

export default async function Page({ params }) {
  const { path, title, html } = await pageOf(params);
  const folder = path.replace(/\/[^/]*$/, "/");
  const beside = pages.filter(
    (page) => page.path.startsWith(folder) && !page.path.slice(folder.length).includes("/"),
  );
  return (
    <>
      <nav>
        {beside.map((page) => (
          <Link key={page.path} href={`/${page.path}`}>
            {page.title}
          </Link>
        ))}
      </nav>
      <main>
        <h1>{title}</h1>
        <div dangerouslySetInnerHTML={{ __html: html }} />
      </main>
    </>
  );
}

async function pageOf(params) {
  const { slug } = await params;
  return pages.find(({ path }) => path === slug.join("/"));
}
