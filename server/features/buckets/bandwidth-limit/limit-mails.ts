import { formatBytes } from '../../../contract/units.ts';
import { quoted } from '../../../platform/audit/record.ts';
import { layOut } from '../../../platform/mail/mail-layout.tsx';
import type { LaidOutMail } from '../../../platform/mail/port.ts';
import type { LimitNotice } from './limit-rules.ts';

/** Returns the mail to the owner of a bucket that is near its bandwidth limit, or has reached it. */
export function limitMail(
  notice: LimitNotice,
  facts: {
    to: string;
    bucket: { id: string; name: string };
    used: number;
    limit: number;
    /** The end of the month, in epoch milliseconds. */
    until: number;
    appUrl: string;
  },
): LaidOutMail {
  const { to, bucket, used, limit, until, appUrl } = facts;
  const name = quoted(bucket.name);
  const end = `${new Date(until).toISOString().slice(0, 10)} 00:00 UTC`;
  const words: Record<LimitNotice, { subject: string; lead: string; rest: string }> = {
    near: {
      subject: `Bucket ${name} is near its bandwidth limit`,
      lead: `Bucket ${name} has sent ${formatBytes(used)} of its limit of ${formatBytes(limit)} this month.`,
      rest: `At the limit, delivery stops until ${end}. You can raise or remove the limit in the bucket's settings.`,
    },
    reached: {
      subject: `Bucket ${name} has reached its bandwidth limit: delivery has stopped`,
      lead: `Bucket ${name} has reached its limit of ${formatBytes(limit)} this month, so its files aren't delivered until ${end}.`,
      rest: "To resume delivery now, raise or remove the limit in the bucket's settings.",
    },
  };
  const link = { label: 'Open settings', url: `${appUrl}/dashboard/settings/${bucket.id}` };
  return layOut({ to, link, ...words[notice] });
}
