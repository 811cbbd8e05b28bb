import { basename } from 'node:path';

const FOLDERS = ['tests/http/', 'tests/resilience/'];

/*
 * The test files that run again on PostgreSQL: tests of whole servers that show how rows, events, jobs and objects work
 * together. The queue, events, locks, accounts, billing, payments, usage, transforms and webhooks have tests beside
 * their sources that run on both engines, tests/packaging sends the same requests to both, and tests/resilience
 * delivers files from S3 and sends events from one server to another.
 */

/**
 * Those about rows and locks. Their objects are on a disk, because each check of all objects, of which most of these
 * files make several, takes seconds on an S3 server.
 * @type {Record<string, string>}
 */
export const ON_POSTGRES = {
  'access-tokens.test.ts': 'ids of tokens are copied to the row of their bucket',
  'admin-actions.test.ts': 'rows of others change',
  'billing.test.ts': 'the history of payments and usage, by its filters',
  'buckets.test.ts': 'the rows of buckets',
  'conditional-conflicts.test.ts': 'locks decide which of two writers of a key wins',
  'copies.test.ts': 'rows that share an object, and jobs that take turns',
  'file-detail.test.ts': 'the rows of files',
  'lost-commit.test.ts': 'a commit that nobody heard of',
  'parallel-writers.test.ts': 'locks decide which of many writers gets a path',
  'replaced-parts.test.ts': 'parts of objects that are sent again, with their rows',
  'replacing.test.ts': 'locks decide which of many uploads stays at a path',
  's3-import.test.ts': 'leases, and rows with failures',
  'sources.test.ts': 'locks decide whether what is fetched or its deletion comes first',
  'versions.test.ts': 'lists that go along rows of several kinds, by path',
  'webhooks.test.ts': 'rows that wait for their turn',
};

/** Those about objects too, which are in S3. @type {Record<string, string>} */
export const ON_POSTGRES_AND_S3 = {
  'account-deletion.test.ts': 'rows of every table, and objects, go',
  'doctor.test.ts': 'the checks of both services',
  'image-uploads.test.ts': 'objects are written, with their rows',
  'import-url.test.ts': 'downloads that become objects, with their rows',
  'missing-bucket.test.ts': 'the checks of S3',
  'multipart.test.ts': 'parts of objects that the storage joins',
  'objects.test.ts': 'objects by S3, with their rows',
  'stopping.test.ts': 'connections end',
  'storage-away.test.ts': 'S3 does not answer',
  'tus-files.test.ts': 'objects that are joined, with their rows',
  'tus.test.ts': 'parts of objects, with their rows',
  'upload-expiry.test.ts': 'what is left over goes',
  'video-uploads.test.ts': 'a whole job, from its chunks to its sizes',
};

const isListed = (/** @type {Record<string, string>} */ list) => (/** @type {string} */ file) =>
  FOLDERS.some((folder) => file.startsWith(folder)) && Object.hasOwn(list, basename(file));

/** @typedef {{ label: string, isFor: (file: string) => boolean, env: Record<string, string> }} OtherEngine */

/**
 * Returns the engines on which some test files run again.
 * @param {boolean} hasS3 whether there is an S3 server; without one, all objects are on a disk
 * @returns {OtherEngine[]} `label` is printed before the names of the files
 */
export function otherEngines(hasS3) {
  const label = 'on PostgreSQL';
  const env = { WHARF_TEST_ENGINE: 'postgres' };
  if (!hasS3) return [{ label, env, isFor: isListed({ ...ON_POSTGRES, ...ON_POSTGRES_AND_S3 }) }];
  return [
    { label, env, isFor: isListed(ON_POSTGRES) },
    {
      label: `${label} and S3`,
      env: { ...env, WHARF_TEST_STORAGE: 's3' },
      isFor: isListed(ON_POSTGRES_AND_S3),
    },
  ];
}
