import type { WebhookAttemptState, WebhookType } from '../../contract/wire.ts';
import type { SqlBoolean } from '../db/port.ts';

export type WebhookAttemptRow = {
  /** This is also the `webhook-id`, which is the same in all attempts. */
  id: string;
  bucket_id: string;
  /** The account that owns the bucket, whose deliveries take turns with those of others. */
  owner: string;
  type: WebhookType;
  body: string;
  target_sealed: string;
  state: WebhookAttemptState;
  /** The number of failures so far, which is the place in the retry schedule. A replay starts at 0. */
  step: number;
  attempts: number;
  /** When the next attempt is due. While an attempt runs, this is when its process counts as dead. */
  due_at: number;
  /** Whether it is due and not claimed, while it waits; see `markDueWebhookAttempts`. */
  ready: SqlBoolean;
  /** The token of the running attempt; null where none runs. */
  claim: string | null;
  /** The last response. The status is null where none came, and then the text says why. */
  answer_status: number | null;
  answer_text: string | null;
  /** What the last attempt sent beside the body, the headers as a JSON object; null where it sent nothing. */
  sent_url: string | null;
  sent_headers: string | null;
  attempted_at: number | null;
  created_at: number;
  finished_at: number | null;
};

declare module '../db/tables.ts' {
  /** The tables of webhooks by name. */
  interface Tables {
    webhook_deliveries: WebhookAttemptRow;
  }
}
