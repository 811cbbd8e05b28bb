import { formatUtc } from '../../../contract/dates/format.ts';
import { layOut } from '../../../platform/mail/mail-layout.tsx';
import type { LaidOutMail } from '../../../platform/mail/port.ts';
import type { ProviderName } from '../../../platform/payments/port.ts';
import { PROVIDER_NAMES } from './wire.ts';

/** Returns the mail that tells the operator that a provider's webhooks don't arrive. */
export function webhookMail(
  provider: ProviderName,
  facts: { to: string; appUrl: string; unannouncedAt: number },
): LaidOutMail {
  const { to, appUrl, unannouncedAt } = facts;
  const name = PROVIDER_NAMES[provider];
  return layOut({
    to,
    subject: `${name} webhooks don't reach your Wharf server`,
    lead: `A payment of ${formatUtc(unannouncedAt)} was settled, but no webhook announced it.`,
    link: { label: 'View payments', url: `${appUrl}/admin/operations` },
    rest: `Wharf asks ${name} about payments every hour or sooner, and about refunds and disputes once a day, so they are settled late. Check the address and the signing secret of the webhook. On the server, wharf doctor shows when the last one arrived.`,
  });
}
