import type { DeliveryWire } from '../../../contract/wire.ts';
import type { WebhookDeliveryRow } from '../../../platform/webhooks/tables.ts';

/** A delivery as its bucket's owner sees it. */
export const toDeliveryWire = (row: WebhookDeliveryRow): DeliveryWire => ({
  id: row.id,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  status: row.answer_status,
  answer: row.answer_text,
  date: new Date(row.created_at).toISOString(),
  next: row.state === 'waiting' ? new Date(nextAttempt(row)).toISOString() : null,
});

/** While an attempt is under way it is the next one: `due_at` is then when its dispatcher counts as dead. */
const nextAttempt = ({ claim, attempted_at, due_at }: WebhookDeliveryRow) =>
  claim === null ? due_at : Math.min(attempted_at ?? due_at, due_at);
