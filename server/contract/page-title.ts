/** Returns the title of a page as browsers show it, with the product's name. */
export const documentTitle = (title: string): string => `${title} · Wharf`;

/** Returns the title of a bucket's settings, which the page changes when the bucket is renamed. */
export const settingsTitle = (bucketName: string): string => `Settings of ${bucketName}`;
