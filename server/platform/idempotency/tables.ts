/** An action that a client has identified, so that repeating the request does not repeat the action. */
export type IdempotencyKeyRow = {
  user_id: string;
  /** The client's `Idempotency-Key`. */
  key: string;
  /** The SHA-256 of what was requested. */
  request_hash: string;
  /** The id of what the action has created. */
  subject_id: string;
  created_at: number;
};

declare module '../db/tables.ts' {
  interface Tables {
    idempotency_keys: IdempotencyKeyRow;
  }
}
