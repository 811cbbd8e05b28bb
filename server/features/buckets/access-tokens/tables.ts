/** An access token that has a name. The token itself is stored nowhere. */
export type AccessTokenRow = {
  /** The `jti` of the token. */
  id: string;
  bucket_id: string;
  /** The named API key that created it, with which it is deleted; null where the primary key or the owner did. */
  key_id: string | null;
  name: string;
  scope: 'read' | 'write';
  /** Only this file; null for all. */
  file_id: string | null;
  /** Only the files whose path begins with this; null for all. */
  prefix: string | null;
  expires_at: number | null;
  last_used_at: number | null;
  created_at: number;
};
