/** How many texts of the metadata a search can ask for. Each is looked for in every examined row. */
const MAX_METADATA_FILTERS = 8;

/**
 * Returns the parts of the stored metadata, which is JSON, of which a file must have one for each text that is asked
 * for. `filter` is `name=value`, or `name` for any value, several joined by '&' and URL-encoded as in a query.
 * A quote within a name or a value is escaped in JSON, so these parts are found nowhere but at the name of a text.
 */
export const metadataParts = (filter: string | undefined): [string, string][] =>
  (filter ?? '')
    .split('&')
    .filter((pair) => pair !== '')
    .slice(0, MAX_METADATA_FILTERS)
    .map((pair) => {
      const [[name = '', value = ''] = []] = new URLSearchParams(pair);
      const text = pair.includes('=') ? JSON.stringify(value) : '';
      const part = `${JSON.stringify(name)}:${text}`;
      return [`{${part}`, `,${part}`];
    });
