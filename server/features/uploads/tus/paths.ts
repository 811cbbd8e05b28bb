/** `/files/tus/{bucketID}`, and below it `/{uploadID}`. */
export const PATH = '/files/tus';

/** The id of the upload that a URL names; undefined where it names none. */
export const idIn = (url: string): string | undefined => new URL(url).pathname.split('/')[4];
