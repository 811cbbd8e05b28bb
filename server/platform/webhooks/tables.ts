import type { DeliveryState, WebhookType } from '../../contract/wire.ts';

export type WebhookDeliveryRow = {
  /** Also the `webhook-id`, the same at every attempt. */
  id: string;
  bucket_id: string;
  type: WebhookType;
  body: string;
  target_sealed: string;
  state: DeliveryState;
  /** Failures in a row so far: the place in the schedule. A replay starts at 0. */
  step: number;
  attempts: number;
  /** When to try next; while it is being tried, when to hold whoever does for dead. */
  due_at: number;
  /** Of the attempt under way. */
  claim: string | null;
  /** What came back last; the status is null where nothing did, and the text says why. */
  answer_status: number | null;
  answer_text: string | null;
  attempted_at: number | null;
  created_at: number;
  finished_at: number | null;
};

/** The tables of webhooks, by their names. */
export type WebhookTables = {
  webhook_deliveries: WebhookDeliveryRow;
};
