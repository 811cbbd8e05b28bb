import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openForReading } from '../../adapters/operator.ts';
import { openS3Target } from '../../adapters/remote-bucket.ts';
import { readConfig, readRemoteKey } from '../../config/config.ts';
import { OperatorError } from '../../config/operator-error.ts';
import { count, formatBytes } from '../../contract/units.ts';
import { type ObjectRow, objectEntries } from '../../features/files/service.ts';
import { storedHeaders, viewObject } from '../../features/s3/service.ts';
import { bucketById } from '../import/store.ts';
import { openFolderTarget } from './folder-target.ts';
import type { ExportedFile, ExportTarget } from './target.ts';

const USAGE =
  'Use: export BUCKET_ID FOLDER, or export BUCKET_ID s3://BUCKET[/FOLDER] --endpoint URL';
const PAGE_SIZE = 500;
const DEFAULT_REGION = 'us-east-1';

type Sources = Awaited<ReturnType<typeof openForReading>>;
type Totals = { copied: number; skipped: number; failed: number; bytes: number };

/**
 * Runs `export`, which writes the files of a bucket to a folder or to another S3 server. Returns the exit code: 0 once all
 * are there, 1 where some are not.
 */
export async function runExport(args: string[]): Promise<number> {
  const { bucketId, openTarget } = parseExportArgs(args);
  const sources = await openForReading(readConfig());
  try {
    if (!(await bucketById(sources.database.db, bucketId))) {
      throw new OperatorError(`There is no bucket with the id ${bucketId}.`);
    }
    const totals = await exportBucket(sources, bucketId, await openTarget());
    const { copied, skipped, failed, bytes } = totals;
    process.stdout.write(
      `${count(copied, 'file')} exported (${formatBytes(bytes)}), ${skipped} already there, ${failed} failed.\n`,
    );
    return failed === 0 ? 0 : 1;
  } finally {
    await sources.database.close();
  }
}

function parseExportArgs(args: string[]) {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      endpoint: { type: 'string' },
      region: { type: 'string', default: DEFAULT_REGION },
    },
  });
  const [bucketId, target = '', ...more] = positionals;
  if (!bucketId || !target || more.length > 0) throw new OperatorError(USAGE);
  const [, bucket, folder = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(target) ?? [];
  if (target.startsWith('s3:') && !bucket) throw new OperatorError(USAGE);
  if (!bucket) return { bucketId, openTarget: () => openFolderTarget(resolve(target)) };
  const settings = {
    ...{ bucket, root: folder && join(folder, '/'), region: values.region },
    ...{ endpoint: values.endpoint ?? null, sessionToken: null, ...readRemoteKey() },
  };
  return { bucketId, openTarget: () => openS3Target(settings) };
}

/** Writes all current files of a bucket that a target does not have. Those that fail are named, and the rest goes on. */
async function exportBucket(
  sources: Sources,
  bucketId: string,
  target: ExportTarget,
): Promise<Totals> {
  const totals: Totals = { copied: 0, skipped: 0, failed: 0, bytes: 0 };
  for await (const row of filesOf(sources, bucketId)) {
    try {
      const bytes = await exportFile(sources, row, target);
      if (bytes === null) totals.skipped += 1;
      else {
        totals.copied += 1;
        totals.bytes += bytes;
      }
    } catch (error) {
      totals.failed += 1;
      process.stderr.write(`${row.path}: ${(error as Error).message}\n`);
    }
  }
  return totals;
}

async function* filesOf({ database }: Sources, bucketId: string): AsyncGenerator<ObjectRow> {
  for (let after = ''; ; ) {
    const range = { prefix: '', delimiter: '', after, limit: PAGE_SIZE };
    const page = await objectEntries(database.db, bucketId, range);
    for (const entry of page) {
      if (!entry.isPrefix && entry.object && entry.object.file_type !== 'folder') {
        yield entry.object;
      }
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    after = last.path;
  }
}

/** Returns how many bytes of a file were written; null where the target has it already. */
async function exportFile(
  { objects }: Sources,
  row: ObjectRow,
  target: ExportTarget,
): Promise<number | null> {
  const { source, size, etag, contentType } = viewObject(row);
  if (source === null) {
    throw new Error('Its original is not kept, or it is being processed or has failed.');
  }
  const file: ExportedFile = {
    ...{ path: row.path, size, etag, contentType, createdAt: row.created_at },
    headers: storedHeaders(row.headers),
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
  };
  if (await target.has(file)) return null;
  const object = await objects.open(source);
  if (!object) throw new Error('Its object is missing.');
  const body = object.body();
  await target.put(
    { ...file, size: object.size },
    body instanceof Blob ? (body.stream() as ReadableStream<Uint8Array>) : body,
  );
  return object.size;
}
