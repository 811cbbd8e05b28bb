type Metafile = NonNullable<Bun.BuildOutput['metafile']>;

/** The packages that a bundle was made of, as folders such as `node_modules/react`. */
export function packagesIn({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap(
    (path) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort();
}
