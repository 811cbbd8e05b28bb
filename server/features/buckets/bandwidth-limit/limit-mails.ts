import { settingsPath } from '../../../contract/buckets/settings-sections.ts';
import { formatUtc } from '../../../contract/dates/format.ts';
import { formatBytes } from '../../../contract/units.ts';
import { quoted } from '../../../platform/audit/record.ts';
import { layOut } from '../../../platform/mail/mail-layout.tsx';
import type { LaidOutMail } from '../../../platform/mail/port.ts';
import type { LimitNotice } from './limit-rules.ts';

/**
 * Returns the mail to the owner of a bucket that has sent a share of its bandwidth limit, or reached it.
 * @param facts.used the bytes sent in the period of the limit
 */
export function limitMail(
  { period, percent, limit, until }: LimitNotice,
  facts: { to: string; bucket: { id: string; name: string }; used: number; appUrl: string },
): LaidOutMail {
  const { to, bucket, used, appUrl } = facts;
  const name = quoted(bucket.name);
  const kind = period === 'day' ? 'daily' : 'monthly';
  const now = period === 'day' ? 'today' : 'this month';
  const end = formatUtc(until);
  const words =
    percent < 100
      ? {
          subject: `Bucket ${name} has used ${percent}% of its ${kind} bandwidth limit`,
          lead: `Bucket ${name} has sent ${formatBytes(used)} of its limit of ${formatBytes(limit)} ${now}.`,
          rest: `At the limit, delivery stops until ${end}. You can raise or remove the limit in the bucket's settings.`,
        }
      : {
          subject: `Bucket ${name} has reached its ${kind} bandwidth limit: delivery has stopped`,
          lead: `Bucket ${name} has reached its limit of ${formatBytes(limit)} ${now}, so its files aren't delivered until ${end}.`,
          rest: "To resume delivery now, raise or remove the limit in the bucket's settings.",
        };
  const link = { label: 'Open settings', url: appUrl + settingsPath(bucket.id, 'delivery') };
  return layOut({ to, link, ...words });
}
