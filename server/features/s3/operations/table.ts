import type { Action } from '../../access/can.ts';
import type { ObjectContext } from '../context.ts';
import type { S3Response } from '../request.ts';
import { getBucketAcl, getObjectAcl, putBucketAcl, putObjectAcl } from './acl/acl.ts';
import { deleteBucket, getBucketLocation } from './bucket.ts';
import { FIXED_OPERATIONS } from './configuration/fixed.ts';
import {
  deleteBucketLifecycle,
  getBucketLifecycle,
  putBucketLifecycle,
} from './configuration/lifecycle.ts';
import { putObjectLock, refuseObjectLock } from './configuration/object-lock.ts';
import {
  deleteOwnershipControls,
  deletePublicAccessBlock,
  getOwnershipControls,
  getPublicAccessBlock,
  putOwnershipControls,
  putPublicAccessBlock,
} from './configuration/public-access.ts';
import { getBucketVersioning, putBucketVersioning } from './configuration/versioning.ts';
import { deleteBucketCors, getBucketCors, putBucketCors } from './cors/configuration.ts';
import { deleteObject, deleteObjects } from './delete-object.ts';
import { listMultipartUploads, listParts } from './list-uploads.ts';
import { abortMultipartUpload, createMultipartUpload } from './multipart.ts';
import { completeMultipartUpload } from './parts/complete-upload.ts';
import { uploadPart } from './parts/upload-part.ts';
import {
  deleteBucketPolicy,
  getBucketPolicy,
  getPolicyStatus,
  putBucketPolicy,
} from './policy/policy.ts';
import { putObject } from './put-object.ts';
import {
  deleteBucketTagging,
  getBucketTagging,
  putBucketTagging,
} from './tagging/bucket-tagging.ts';
import {
  deleteObjectTagging,
  getObjectTagging,
  putObjectTagging,
} from './tagging/object-tagging.ts';
import { listObjectVersions } from './versions/list-versions.ts';

/** An operation, and what the access key must be allowed to do with the bucket. */
export type Operation = {
  action: Extract<
    Action,
    'read-files' | 'write-files' | 'upload' | 'view-uploads' | 'configure-bucket'
  >;
  run: (context: ObjectContext) => Promise<S3Response>;
  /** Whether it can be about a version of an object by its id. */
  knowsVersions?: true;
};

/** The operations of a bucket, by their method and sub-resource. Their `key` is ''. */
export const BUCKET_OPERATIONS: Record<string, Operation> = {
  ...FIXED_OPERATIONS,
  DELETE: { action: 'write-files', run: deleteBucket },
  'GET ?location': { action: 'read-files', run: getBucketLocation },
  'GET ?uploads': { action: 'view-uploads', run: listMultipartUploads },
  'GET ?acl': { action: 'read-files', run: getBucketAcl },
  'PUT ?acl': { action: 'configure-bucket', run: putBucketAcl },
  'GET ?versions': { action: 'read-files', run: listObjectVersions },
  'GET ?versioning': { action: 'read-files', run: getBucketVersioning },
  'GET ?tagging': { action: 'read-files', run: getBucketTagging },
  'PUT ?tagging': { action: 'configure-bucket', run: putBucketTagging },
  'DELETE ?tagging': { action: 'configure-bucket', run: deleteBucketTagging },
  'GET ?cors': { action: 'read-files', run: getBucketCors },
  'PUT ?cors': { action: 'configure-bucket', run: putBucketCors },
  'DELETE ?cors': { action: 'configure-bucket', run: deleteBucketCors },
  'GET ?lifecycle': { action: 'read-files', run: getBucketLifecycle },
  'PUT ?lifecycle': { action: 'configure-bucket', run: putBucketLifecycle },
  'DELETE ?lifecycle': { action: 'configure-bucket', run: deleteBucketLifecycle },
  'PUT ?object-lock': { action: 'configure-bucket', run: putObjectLock },
  'GET ?policy': { action: 'read-files', run: getBucketPolicy },
  'PUT ?policy': { action: 'configure-bucket', run: putBucketPolicy },
  'DELETE ?policy': { action: 'configure-bucket', run: deleteBucketPolicy },
  'GET ?policyStatus': { action: 'read-files', run: getPolicyStatus },
  'GET ?publicAccessBlock': { action: 'read-files', run: getPublicAccessBlock },
  'PUT ?publicAccessBlock': { action: 'configure-bucket', run: putPublicAccessBlock },
  'DELETE ?publicAccessBlock': { action: 'configure-bucket', run: deletePublicAccessBlock },
  'GET ?ownershipControls': { action: 'read-files', run: getOwnershipControls },
  'PUT ?ownershipControls': { action: 'configure-bucket', run: putOwnershipControls },
  'DELETE ?ownershipControls': { action: 'configure-bucket', run: deleteOwnershipControls },
  'PUT ?versioning': { action: 'configure-bucket', run: putBucketVersioning },
  'POST ?delete': { action: 'write-files', run: deleteObjects },
};

/** The operations of an object, except to read it. */
export const OBJECT_OPERATIONS: Record<string, Operation> = {
  PUT: { action: 'upload', run: putObject },
  DELETE: { action: 'write-files', run: deleteObject, knowsVersions: true },
  'GET ?acl': { action: 'read-files', run: getObjectAcl, knowsVersions: true },
  'PUT ?acl': { action: 'write-files', run: putObjectAcl, knowsVersions: true },
  'GET ?tagging': { action: 'read-files', run: getObjectTagging, knowsVersions: true },
  'PUT ?tagging': { action: 'write-files', run: putObjectTagging, knowsVersions: true },
  'DELETE ?tagging': { action: 'write-files', run: deleteObjectTagging, knowsVersions: true },
  'GET ?retention': { action: 'read-files', run: refuseObjectLock, knowsVersions: true },
  'PUT ?retention': { action: 'write-files', run: refuseObjectLock, knowsVersions: true },
  'GET ?legal-hold': { action: 'read-files', run: refuseObjectLock, knowsVersions: true },
  'PUT ?legal-hold': { action: 'write-files', run: refuseObjectLock, knowsVersions: true },
  'POST ?uploads': { action: 'upload', run: createMultipartUpload },
  'GET ?uploadId': { action: 'view-uploads', run: listParts },
  'PUT ?uploadId': { action: 'upload', run: uploadPart },
  'POST ?uploadId': { action: 'upload', run: completeMultipartUpload },
  'DELETE ?uploadId': { action: 'view-uploads', run: abortMultipartUpload },
};
