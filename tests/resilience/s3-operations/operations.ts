import { acls, buckets } from './buckets.ts';
import { aborts, completions, partCopies, parts } from './multipart.ts';
import { bulkDeletes, copies, deletes, forms, puts, tags } from './objects.ts';
import { bulkVersionDeletes, markerDeletes, versionDeletes } from './versions.ts';
import type { Options, Writer } from './writer.ts';

type Operation = {
  name: string;
  create: (options: Options) => Writer;
  /** Whether the bucket keeps versions. */
  hasVersions?: true;
};

/** The operations that change something, by their names in S3. */
export const OPERATIONS: Operation[] = [
  { name: 'PutObject', create: puts },
  { name: 'PostObject', create: forms },
  { name: 'CopyObject', create: copies },
  { name: 'DeleteObject', create: deletes },
  { name: 'DeleteObjects', create: bulkDeletes },
  { name: 'PutObjectTagging', create: tags },
  { name: 'PutObjectAcl', create: acls },
  { name: 'CreateBucket and DeleteBucket', create: buckets },
  { name: 'UploadPart', create: parts },
  { name: 'UploadPartCopy', create: partCopies },
  { name: 'CompleteMultipartUpload', create: completions },
  { name: 'AbortMultipartUpload', create: aborts },
  { name: 'DeleteObject of a version', create: versionDeletes, hasVersions: true },
  { name: 'DeleteObjects of versions', create: bulkVersionDeletes, hasVersions: true },
  { name: 'DeleteObject of a delete marker', create: markerDeletes, hasVersions: true },
];
