/** Where 'Docs' and 'Documentation' lead: to DOCS_URL, or to our own reference where it is unset. */
export const docsLink = (docsUrl: string | null): string => docsUrl ?? '/docs';
