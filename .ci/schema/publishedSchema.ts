/** What the generators and `pulumi` read in a schema about the place of its releases. */
interface Releases {
  repository?: string;
  pluginDownloadURL?: string;
}

/**
 * The schema that a build of the plugin contains.
 *
 * @param schema as `npm run schema` writes it
 * @param repository of package.json. Only the release writes it there: the releases of that repository have the archives
 *   (`npm run archives`)
 */
export function publishedSchema<Schema extends object>(
  schema: Schema,
  repository: { url: string } | undefined,
): Schema & Releases {
  const [, name] = /github\.com\/(.+?)(\.git)?$/.exec(repository?.url ?? "") ?? [];
  if (name === undefined) return schema;
  return {
    ...schema,
    repository: `https://github.com/${name}`,
    pluginDownloadURL: `github://api.github.com/${name}`,
  };
}
