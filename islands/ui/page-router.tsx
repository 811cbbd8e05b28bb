import type { ReactNode } from 'react';
import { Router } from 'wouter';
import { useSearch } from 'wouter/use-browser-location';

/**
 * Lets the islands in it read and change the query of the page's URL, also while the server renders it.
 * @param path the path of the page's URL
 * @param search its query, with the question mark if there is one
 */
export const PageRouter = ({
  path,
  search,
  children,
}: {
  path: string;
  search: string;
  children: ReactNode;
}) => (
  <Router ssrPath={path} ssrSearch={search} searchHook={useEscapedSearch}>
    {children}
  </Router>
);

/**
 * wouter decodes a query before it is split into parameters, which then decode it again: a folder named 'a%41' would
 * be read as 'aA', and a text with '%26' would end a parameter. Its percent signs are escaped once more.
 */
const useEscapedSearch: typeof useSearch = (options) => useSearch(options).replaceAll('%', '%25');
