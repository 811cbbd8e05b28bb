/** A text of a file's metadata while it is edited. */
export type MetadataText = { id: number; name: string; value: string };

/** Returns what is wrong with each text, by its id. One without a name and a value is left out when it is saved. */
export function textProblems(texts: MetadataText[]): Map<number, string> {
  const problems = new Map<number, string>();
  const names = new Set<string>();
  for (const { id, name, value } of texts) {
    if (name === '' && value !== '') problems.set(id, 'Enter a name.');
    if (name !== '' && names.has(name)) problems.set(id, 'Another text has this name.');
    names.add(name);
  }
  return problems;
}

/** Returns the metadata as the API takes them. */
export const toMetadata = (texts: MetadataText[]): Record<string, string> =>
  Object.fromEntries(
    texts.filter(({ name }) => name !== '').map((text) => [text.name, text.value]),
  );

/** Returns the filter of the list of files for a text. */
export const metadataFilter = (name: string, value: string): string =>
  new URLSearchParams([[name, value]]).toString();

/** Returns a filter in words, such as 'project: Harbour'. */
export const filterLabel = (filter: string): string =>
  [...new URLSearchParams(filter)]
    .map(([name, value]) => (value ? `${name}: ${value}` : name))
    .join(', ');
