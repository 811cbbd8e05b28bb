import { HOUR } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Executor } from '../../../platform/db/port.ts';
import type { MailQueue } from '../../../platform/mail/enqueue-mail.ts';
import type { ProviderName, WebhookNotice } from '../../../platform/payments/port.ts';
import * as store from './provider-store.ts';
import { webhookMail } from './webhook-mail.ts';

/** A webhook that arrives is within seconds of its payment. */
const WEBHOOK_DELAY_MS = HOUR;

export type WebhookState = {
  provider: ProviderName;
  /** When the last webhook arrived, in epoch milliseconds; null where none did. */
  lastWebhookAt: number | null;
  /** When the last payment was made, if no webhook announced it; null if one did. */
  unannouncedAt: number | null;
};

export type WebhookWatchDeps = {
  database: Database;
  clock: Clock;
  providers: Record<ProviderName, unknown>;
  enqueueMail: MailQueue;
  queue: { wake(kind: 'mail'): void };
  /** Whom to tell; null where the operator has configured no address. */
  adminEmail: string | null;
  appUrl: string;
  onError: (error: unknown) => void;
};

/**
 * Notices that the webhooks of a provider don't arrive, as with a wrong signing secret: payments are
 * credited all the same, because their providers are asked too, so nobody would see it otherwise.
 */
export class WebhookWatch {
  constructor(private readonly deps: WebhookWatchDeps) {}

  /** Records a webhook whose signature is valid, and the payment that it is about. */
  async record(provider: ProviderName, notice: WebhookNotice | null): Promise<void> {
    const { database, clock } = this.deps;
    const now = clock();
    await store.updateProvider(database.db, provider, { webhook_at: now });
    if (notice) await store.markAnnounced(database.db, notice.paymentId, now);
  }

  /** Returns the state of each provider that is configured. */
  states(): Promise<WebhookState[]> {
    return webhookStates(this.deps.database.db, this.deps.providers, this.deps.clock());
  }

  /** Logs and mails once that webhooks don't arrive, and again when that happens another time. */
  async warn(): Promise<void> {
    const { database, clock, adminEmail, appUrl, enqueueMail, queue, onError } = this.deps;
    for (const { provider, unannouncedAt } of await this.states()) {
      const row = await store.findProvider(database.db, provider);
      const wasWarned = (row?.warned_at ?? null) !== null;
      if (wasWarned === (unannouncedAt !== null)) continue;
      await database.transaction(async (tx) => {
        const warned_at = unannouncedAt === null ? null : clock();
        await store.updateProvider(tx, provider, { warned_at });
        if (unannouncedAt === null || !adminEmail) return;
        await enqueueMail(tx, webhookMail(provider, { to: adminEmail, appUrl, unannouncedAt }));
      });
      queue.wake('mail');
      if (unannouncedAt !== null) onError(new Error(`no webhook of ${provider} arrives`));
    }
  }
}

/** Returns the state of each provider that `providers` has, at a moment in epoch milliseconds. */
export async function webhookStates(
  db: Executor,
  providers: Record<ProviderName, unknown>,
  now: number,
): Promise<WebhookState[]> {
  const states: WebhookState[] = [];
  for (const provider of ['stripe', 'cryptomus'] as const) {
    if (!providers[provider]) continue;
    const row = await store.findProvider(db, provider);
    const last = await store.lastSettledPayment(db, provider, now - WEBHOOK_DELAY_MS);
    states.push({
      provider,
      lastWebhookAt: row?.webhook_at ?? null,
      unannouncedAt: last && last.announced_at === null ? last.settled_at : null,
    });
  }
  return states;
}
