/** The key of all queries about a bucket's files. Invalidating it refreshes what the page shows. */
export const filesKey = (bucketId: string) => ['files', bucketId];
