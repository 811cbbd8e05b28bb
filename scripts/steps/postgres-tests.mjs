import { basename } from 'node:path';

const FOLDERS = ['tests/http/', 'tests/resilience/'];

/**
 * The test files that run again on PostgreSQL and S3: tests of whole servers that show how rows, events, jobs
 * and objects work together. The queue, events, locks, accounts, billing, payments, usage, transforms and
 * webhooks have tests beside their sources that run on both engines, tests/packaging sends the same requests
 * to both, and tests/resilience delivers files from S3 and sends events from one server to another.
 * @type {Record<string, string>}
 */
export const ON_POSTGRES = {
  'access-tokens.test.ts': 'ids of tokens are copied to the row of their bucket',
  'account-deletion.test.ts': 'rows of every table, and objects, go',
  'admin-actions.test.ts': 'rows of others change',
  'billing.test.ts': 'the history of payments and usage, by its filters',
  'buckets.test.ts': 'the rows of buckets',
  'doctor.test.ts': 'the checks of both services',
  'file-detail.test.ts': 'the rows of files',
  'image-uploads.test.ts': 'objects are written, with their rows',
  'import-url.test.ts': 'downloads that become objects, with their rows',
  'lost-commit.test.ts': 'a commit that nobody heard of',
  'missing-bucket.test.ts': 'the checks of S3',
  'multipart.test.ts': 'parts of objects that the storage joins',
  'objects.test.ts': 'objects by S3, with their rows',
  'parallel-writers.test.ts': 'locks decide which of many writers gets a path',
  'replacing.test.ts': 'locks decide which of many uploads stays at a path',
  's3-import.test.ts': 'leases, and rows with failures',
  'sources.test.ts': 'locks decide whether what is fetched or its deletion comes first',
  'stopping.test.ts': 'connections end',
  'storage-away.test.ts': 'S3 does not answer',
  'tus-files.test.ts': 'objects that are joined, with their rows',
  'tus.test.ts': 'parts of objects, with their rows',
  'upload-expiry.test.ts': 'what is left over goes',
  'versions.test.ts': 'lists that go along rows of several kinds, by path',
  'video-uploads.test.ts': 'a whole job, from its chunks to its sizes',
  'webhooks.test.ts': 'rows that wait for their turn',
};

/** Whether a file's tests run again on PostgreSQL and S3. @param {string} file */
export const runsOnPostgres = (file) =>
  FOLDERS.some((folder) => file.startsWith(folder)) && Object.hasOwn(ON_POSTGRES, basename(file));
