import { dirname, join } from 'node:path';
import { DAY } from '../../server/contract/limits.ts';
import { createBucket, signUp, uploadFile, uploadImage } from '../../tests/support/client/api.ts';
import {
  fileRows,
  inDatabase,
  insertFiles,
  updateFiles,
} from '../../tests/support/fixtures/file-rows.ts';
import { clip } from '../../tests/support/fixtures/make-media.ts';
import type { ServerProcess } from '../../tests/support/server/server-process.ts';
import { addHistory, addJobs, addWebhookAttempts, banBucket, setWebhook } from './database-rows.ts';
import { addFolders } from './folder-files.ts';
import { interruptUpload } from './interrupted-upload.ts';
import { makePayments, type Providers, putInDebt } from './payments.ts';

const PHOTO = join(import.meta.dir, '../../server/features/landing/red-panda.jpg');
const NAMES = ['Drafts', 'Open day', 'Holiday in Lisbon', 'Website'];
export const PASSWORD = 'a harbour at work';

const SUBJECTS = [
  'harbour-at-dawn',
  'crane-12',
  'ropes',
  'lighthouse',
  'north-pier',
  'fog',
  'gulls',
];

/** The columns of a file without results. */
const NO_RESULTS = {
  playable: 0,
  prefix: null,
  entry: null,
  thumb_hash: null,
  width: null,
  height: null,
  duration: null,
} as const;

/** Returns a name and a size that look real. */
const nameAndSizeOf = (type: string, at: number) => {
  const name = SUBJECTS[at % SUBJECTS.length] + (at < SUBJECTS.length ? '' : `-${at}`);
  const size = Math.round(240_000 * (1 + ((at * 37) % 61) / 7) * (type === 'video' ? 24 : 1));
  return { name: `${name}.${type === 'video' ? 'mp4' : 'jpg'}`, size };
};

/**
 * Fills a server with what the pages show: buckets, files of every status, weeks of usage, payments, and an
 * account in debt.
 */
export async function seedServer(server: ServerProcess, owner: string, providers: Providers) {
  const session = await signUp(server, owner, PASSWORD);
  const { token } = session;
  const buckets = [];
  for (const name of NAMES) buckets.push(await createBucket(server, token, name));
  const [empty, folders, holiday, full] = buckets;
  if (!empty || !folders || !holiday || !full) throw new Error('There are too few buckets.');
  const { processing, failed } = await addFiles(server.dataDir, full.id);
  const bytes = await clip({ width: 1280, height: 720, seconds: 3 });
  const fields = { access: 'private', resolution: '1280x720,640x360', timeline_preview: 'yes' };
  const video = await uploadFile(server, full, 'video', fields, bytes, 'departure.mp4');
  const photo = new File([await Bun.file(PHOTO).bytes()], 'red-panda.jpg');
  const { id: file } = await uploadImage(server, full, photo);
  const { text, pdf } = await addFolders(server, folders, token);
  await setWebhook(server.dataDir, full.id, false);
  await addWebhookAttempts(server.dataDir, full.id);
  await setWebhook(server.dataDir, holiday.id, true);
  // A page lists only the uploads that its user has started, not those of the API key.
  const target = { url: server.url, token, bucketId: full.id };
  const interrupted = await interruptUpload(target, dirname(server.dataDir));
  await addHistory(server.dataDir, full.id);
  await addHistory(server.dataDir, holiday.id);
  await makePayments(server, token, providers);

  const debtor = await signUp(server, 'olga@example.com', PASSWORD);
  const suspended = await createBucket(server, debtor.token, 'Regatta');
  const banned = await createBucket(server, debtor.token, 'Pilots');
  await banBucket(server.dataDir, banned.id);
  await putInDebt(server, token, debtor.userId);
  const newcomer = await signUp(server, 'noah@example.com', PASSWORD);
  await addJobs(server.dataDir, processing, suspended.id);
  await keepConfirmed(server.dataDir);
  return {
    accounts: { owner: session, debtor, newcomer },
    ids: {
      empty: empty.id,
      full: full.id,
      folders: folders.id,
      gone: holiday.id,
      suspended: suspended.id,
      banned: banned.id,
      file,
      video: video.id,
      text,
      pdf,
      failed,
      underWay: processing,
      interrupted,
    },
  };
}

/** Confirms all sessions for a day, as actions ask for the password ten minutes after it was entered. */
const keepConfirmed = (dataDir: string) =>
  inDatabase(dataDir, "file.query('update sessions set password_confirmed_at = $at').run(given)", {
    at: Date.now() + DAY,
  });

/** Adds files of every status to a bucket. Returns the ids of one that is being processed and one that has failed. */
async function addFiles(dataDir: string, bucketId: string) {
  const rows = fileRows(bucketId, 60).map((row, at) => ({
    ...row,
    ...nameAndSizeOf(row.file_type, at),
  }));
  await insertFiles(dataDir, rows);
  const [first, second, , fourth] = rows;
  if (!first || !second || !fourth) throw new Error('There are too few files.');
  await updateFiles(dataDir, [first.id], {
    status: 'processing',
    ...NO_RESULTS,
  });
  const error = 'The image is damaged or incomplete. Export it again.';
  await updateFiles(dataDir, [second.id], { status: 'error', error });
  await updateFiles(dataDir, [fourth.id], {
    status: 'error',
    error: 'The video is damaged or incomplete. Export it again.',
    ...NO_RESULTS,
  });
  return { processing: first.id, failed: fourth.id };
}
