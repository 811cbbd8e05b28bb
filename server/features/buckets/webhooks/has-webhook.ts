import type { BucketRow } from '../tables.ts';

/** Whether a bucket has a webhook that hears of files. */
export const hasWebhook = ({
  webhook,
  webhook_disabled_at,
}: Pick<BucketRow, 'webhook' | 'webhook_disabled_at'>): boolean =>
  webhook !== '' && webhook_disabled_at === null;
