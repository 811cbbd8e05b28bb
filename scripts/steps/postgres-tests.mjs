import { basename, dirname } from 'node:path';

const FOLDER = 'tests/http';

/** What need not run on PostgreSQL and S3 as well, or can't, and why. @type {Record<string, string>} */
export const LEFT_OUT = {
  'backup.test.ts': 'of SQLite files',
  'backup-places.test.ts': 'of SQLite files',
  'migrate-database.test.ts': 'of both already',
  'scaled.test.ts': 'of PostgreSQL already',
  'two-machines.test.ts': 'of PostgreSQL already',
  'full-disk.test.ts': 'of a disk that the rows are on; platform/db has its own for PostgreSQL',
  'binary.test.ts': 'of the program file',
  'fsck.test.ts': 'of files on a disk; it and s3.test.ts audit PostgreSQL and S3',
  'other-storage.test.ts': 'of folders on a disk',
  'guide.test.ts': 'its samples name the files of SQLite',
  'landing.test.ts': 'no rows',
  's3.test.ts': 'of the storage',
  'regions.test.ts': 'of the storage',
  'behind-nginx.test.ts': 'of the proxy',
  'mail.test.ts': 'of the mail server',
  'transforms.test.ts': 'of pictures',
  'transform-rights.test.ts': 'of pictures',
  'transform-limits.test.ts': 'of pictures',
  'video.test.ts': 'of encoding',
  'delivery-property.test.ts': 'of ranges',
  'tus-cuts.test.ts': 'of connections that are cut',
  'upload-memory.test.ts': 'of memory',
  'webhook-safety.test.ts': 'of addresses',
  'crash.test.ts': 'takes as long as the leases of a process that was killed',
  'crash-series.test.ts': 'takes as long as the leases of a process that was killed',
  'payment-crash.test.ts': 'takes as long as the leases of a process that was killed',
};

/** Whether a file holds tests of whole servers, which run once more on PostgreSQL and S3. @param {string} file */
export const runsOnPostgres = (file) =>
  dirname(file) === FOLDER && file.endsWith('.test.ts') && !Object.hasOwn(LEFT_OUT, basename(file));
