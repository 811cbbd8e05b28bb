/** How many content types a bucket can allow. */
export const MAX_ALLOWED_TYPES = 50;

/** What an owner demands of the files that are uploaded into a bucket. */
export type UploadRules = {
  /** The content types that are accepted, `image/*` for all images; empty for all types. */
  allowed_types: string[];
  /** The bytes of the largest file that is accepted; null for no limit but the server's. */
  max_file_bytes: number | null;
  /** The bytes that the bucket may store; null for no limit but the account's. */
  storage_limit: number | null;
};

export const NO_UPLOAD_RULES: UploadRules = {
  allowed_types: [],
  max_file_bytes: null,
  storage_limit: null,
};

/** The names of types and their subtypes (RFC 6838). */
const TYPE = /^[a-z\d][a-z\d!#$&^_.+-]{0,126}\/(\*|[a-z\d][a-z\d!#$&^_.+-]{0,126})$/;

/** Returns a content type, or all of a kind such as `image/*`, in one form; null for anything else. */
export function parseAllowedType(text: string): string | null {
  const type = text.trim().toLowerCase();
  return TYPE.test(type) ? type : null;
}
