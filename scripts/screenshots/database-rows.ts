import { DAY } from '../../server/contract/limits.ts';
import type { WebhookAttemptState, WebhookType } from '../../server/contract/wire.ts';
import type { UsageDayRow } from '../../server/features/usage/tables.ts';
import { newId } from '../../server/platform/ids.ts';
import type { JobRow } from '../../server/platform/queue/tables.ts';
import type { WebhookAttemptRow } from '../../server/platform/webhooks/tables.ts';
import { inDatabase } from '../../tests/support/fixtures/file-rows.ts';

const MIB = 1024 * 1024;
const DAYS = 60;

/** Adds the usage of some weeks to a bucket: it grows, and is read less at weekends. */
export async function addHistory(dataDir: string, bucketId: string): Promise<void> {
  const today = Math.floor(Date.now() / DAY);
  const rows: UsageDayRow[] = Array.from({ length: DAYS }, (_, at) => {
    const day = (today - DAYS + at) * DAY;
    const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
    const wave = 1 + ((at * 29) % 17) / 17;
    const uploaded = Math.round((isWeekend ? 1 : 5) * wave * MIB);
    const bandwidth = Math.round((isWeekend ? 60 : 180) * wave * MIB);
    return {
      bucket_id: bucketId,
      day,
      bandwidth,
      uploaded,
      stored: uploaded,
      kept: uploaded,
      removed: 0,
      requests: Math.round(bandwidth / (MIB / 25)),
      cached_requests: Math.round(bandwidth / (MIB / 23)),
    };
  });
  await inDatabase(
    dataDir,
    `const names = Object.keys(given.rows[0]);
     const insert = file.query('insert into usage_days (' + names + ') values (' + names.map((name) => '$' + name) + ')');
     for (const row of given.rows) insert.run(row);
     file.query('update buckets set usage = usage + $stored, total_uploads = total_uploads + 60 where id = $id')
       .run({ id: given.bucketId, stored: given.rows.reduce((sum, { stored }) => sum + stored, 0) });`,
    { rows, bucketId },
  );
}

const MINUTE = 60_000;
const INSERT = `const names = Object.keys(given.rows[0]);
  const marks = names.map((name) => '$' + name);
  const insert = file.query('insert into ' + given.table + ' (' + names + ') values (' + marks + ')');
  for (const row of given.rows) insert.run(row);`;

type Job = Pick<JobRow, 'kind' | 'subject' | 'state'> & Partial<JobRow>;

/** Adds jobs that are running, queued and failed. No server takes them, because they are due in the future. */
export async function addJobs(dataDir: string, fileId: string, bucketId: string): Promise<void> {
  const now = Date.now();
  const later = now + 24 * 60 * MINUTE;
  const failed = { state: 'failed', attempts: 5, finished_at: now } as const;
  const jobs: Job[] = [
    { kind: 'image', subject: fileId, state: 'running', attempts: 1, progress: 42 },
    { kind: 'mail', subject: 'noah@example.com', state: 'queued' },
    { kind: 'video', subject: newId(now), state: 'queued' },
    {
      kind: 'mail',
      subject: 'mia@example.com',
      ...failed,
      error: '550 5.1.1 The mailbox mia@example.com does not exist at this host.',
    },
    {
      kind: 'delete-bucket',
      subject: bucketId,
      ...failed,
      error: 'The storage did not answer within 30 s: connect ETIMEDOUT 10.20.0.4:443',
    },
    {
      kind: 'video',
      subject: newId(now),
      ...failed,
      error: 'The video is damaged or incomplete. Export it again.',
    },
  ];
  const rows = jobs.map((job, at): JobRow => {
    const isRunning = job.state === 'running';
    return {
      id: newId(now - at * 7 * MINUTE),
      owner: null,
      turn: 0,
      payload: '{}',
      started_at: null,
      attempts: 0,
      interruptions: 0,
      run_at: later,
      ready: 0,
      lease_token: isRunning ? 'a worker' : null,
      lease_until: isRunning ? later : null,
      progress: 0,
      error: null,
      created_at: now - at * 7 * MINUTE,
      finished_at: null,
      ...job,
    };
  });
  await inDatabase(dataDir, INSERT, { table: 'jobs', rows });
}

const DELIVERIES: [WebhookType, WebhookAttemptState, number | null, string | null, number][] = [
  ['webhook.test', 'delivered', 200, 'thank you', 1],
  ['file.success', 'waiting', null, null, 0],
  ['file.success', 'waiting', 503, '<html><head><title>503 Service Unavailable</title>', 3],
  ['file.deleted', 'delivered', 204, '', 1],
  ['file.error', 'failed', null, 'connect ECONNREFUSED 203.0.113.7:443', 8],
  ['file.success', 'failed', 404, 'Not found', 8],
  ['file.success', 'delivered', 200, '{"ok":true}', 2],
];

/** Adds deliveries of a bucket's webhook: delivered, waiting and failed ones. */
export async function addWebhookAttempts(dataDir: string, bucketId: string): Promise<void> {
  const now = Date.now();
  const rows = DELIVERIES.map(([type, state, status, text, attempts], at): WebhookAttemptRow => {
    const createdAt = now - at * 19 * MINUTE;
    return {
      id: newId(createdAt),
      bucket_id: bucketId,
      owner: bucketId,
      type,
      body: JSON.stringify({
        type,
        timestamp: new Date(createdAt).toISOString(),
        data: { file: { id: newId(createdAt), name: 'harbour.jpg', status: 'success' } },
      }),
      target_sealed: '',
      state,
      step: attempts,
      attempts,
      due_at: now + 60 * MINUTE,
      sent_url: attempts === 0 ? null : 'https://example.com/hooks/wharf',
      sent_headers:
        attempts === 0
          ? null
          : JSON.stringify({ host: 'example.com', 'content-type': 'application/json' }),
      ready: 0,
      claim: null,
      answer_status: status,
      answer_text: text,
      attempted_at: attempts > 0 ? createdAt : null,
      created_at: createdAt,
      finished_at: state === 'waiting' ? null : createdAt,
    };
  });
  await inDatabase(dataDir, INSERT, { table: 'webhook_deliveries', rows });
}

/** Sets a bucket's webhook, and whether its endpoint is gone. */
export const setWebhook = (dataDir: string, id: string, isDisabled: boolean) =>
  inDatabase(
    dataDir,
    `file.query('update buckets set webhook = $url, webhook_disabled_at = $gone where id = $id').run(given);`,
    { id, url: 'https://hooks.example.com/wharf', gone: isDisabled ? Date.now() : null },
  );

/** Bans a bucket, as the admin would. */
export const banBucket = (dataDir: string, id: string) =>
  inDatabase(
    dataDir,
    `file.query('update buckets set banned_at = $at where id = $id').run(given);`,
    {
      id,
      at: Date.now(),
    },
  );
