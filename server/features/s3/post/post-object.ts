import { can } from '../../access/can.ts';
import { discardFailed } from '../../uploads/service.ts';
import { receivePayload } from '../auth/receive-payload.ts';
import type { AuthenticatedRequest, ObjectContext, OperationDeps } from '../context.ts';
import { emptyResponse, xmlResponse } from '../context.ts';
import { S3Error } from '../errors.ts';
import { findBucket } from '../operations/bucket.ts';
import { isFolderKey, requireKey } from '../operations/keys.ts';
import { parseStoredFields } from '../operations/object-headers.ts';
import {
  createObject,
  putFolder,
  receiveObject,
  type StoredObject,
} from '../operations/put-object.ts';
import { toTagHeader } from '../operations/tagging/tags.ts';
import { toRefusal } from '../refusals.ts';
import type { S3Response } from '../request.ts';
import { writeXml } from '../xml/write.ts';
import { readForm } from './form.ts';
import { type FormFields, type Policy, parsePolicy, requireAllowed } from './policy.ts';

type Context = Pick<AuthenticatedRequest, 'request' | 'query'> & { deps: OperationDeps };

/**
 * Stores the file of a browser's form, as the policy in it allows. Its bytes are stored as they arrive, and become an
 * object once the whole form has.
 */
export async function postObject(context: Context, bucketName: string): Promise<S3Response> {
  const { deps, request } = context;
  if (!/^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '')) {
    throw new S3Error(
      'PreconditionFailed',
      'Send an upload to a bucket as a form of the type multipart/form-data.',
      { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
    );
  }
  let received: Received | null = null;
  try {
    await readForm(request, deps.maxFileBytes, async ({ fields, body }, accept) => {
      const allowed = await authorize(context, bucketName, fields);
      accept();
      received = await receive(allowed, body);
    });
  } catch (error) {
    const stored = (received as Received | null)?.stored;
    if (stored) await discardFailed(deps, [stored], error);
    throw error;
  }
  // What fails here either discards the bytes itself, or they are an object already.
  return finish(received as Received | null);
}

/** What a form may store, and as what. */
type Allowed = { object: ObjectContext; fields: FormFields; policy: Policy };

/** The same with its bytes, which a folder has none of. */
type Received = Allowed & { stored: StoredObject | null; etag: string };

/** Returns what a form may store. Throws where its signature, its policy, or the right of its key doesn't allow it. */
async function authorize(
  { deps, request, query }: Context,
  bucketName: string,
  sent: FormFields,
): Promise<Allowed> {
  const caller = await deps.authenticateForm(sent);
  const policy = parsePolicy(sent.get('policy') ?? '');
  const fields = new Map([...sent, ['bucket', bucketName]]);
  requireAllowed(policy, fields, deps.clock());
  const key = fields.get('key') ?? '';
  if (key === '') {
    throw new S3Error('InvalidArgument', 'The form needs the field key.', { ArgumentName: 'key' });
  }
  requireKey(key);
  const bucket = await findBucket({ deps, caller }, bucketName);
  const refusal = can(caller.principal, 'upload', bucket);
  if (refusal) throw toRefusal(refusal);
  const headers = toHeaders(fields);
  const signed = { ...request, headers };
  return {
    object: { deps, request: signed, query, caller, bucket, bucketName, key },
    ...{ fields, policy },
  };
}

/** What a field of a form is called as a header of PutObject. */
const HEADERS: Record<string, string> = { acl: 'x-amz-acl', tagging: 'x-amz-tagging' };

/** The fields that PutObject knows as headers. The others are about the form. */
const STORED =
  /^(content-(type|encoding|disposition|language|md5)|cache-control|expires|acl|tagging|x-amz-(meta|checksum|grant|object-lock|server-side-encryption|storage-class|website)-?.*)$/;

/** Returns the headers with which PutObject would store the same. Throws InvalidArgument. */
function toHeaders(fields: FormFields): Headers {
  const headers = new Headers();
  for (const [field, value] of fields) {
    if (!STORED.test(field)) continue;
    try {
      // As the bytes of UTF-8 that a header has.
      const text = field === 'tagging' ? toTagHeader(value) : value;
      headers.set(HEADERS[field] ?? field, Buffer.from(text).toString('latin1'));
    } catch (error) {
      if (error instanceof S3Error) throw error;
      throw new S3Error('InvalidArgument', `The field ${field} can't be stored as a header.`, {
        ArgumentName: field,
      });
    }
  }
  return headers;
}

async function receive(allowed: Allowed, body: AsyncIterable<Uint8Array>): Promise<Received> {
  const { object, policy } = allowed;
  const { deps, request, key, caller } = object;
  parseStoredFields(request.headers);
  const payload = receivePayload(caller, request.headers, body);
  if (isFolderKey(key)) {
    const { headers } = await putFolder(object, payload);
    return { ...allowed, stored: null, etag: headers.etag ?? '' };
  }
  const stored = await receiveObject(object, payload, policy.maxBytes);
  if (stored.size >= policy.minBytes) return { ...allowed, stored, etag: `"${stored.md5}"` };
  const error = new S3Error('EntityTooSmall', 'The file is smaller than the policy allows.', {
    ProposedSize: String(stored.size),
    MinSizeAllowed: String(policy.minBytes),
  });
  await discardFailed(deps, [stored], error);
  throw error;
}

async function finish(received: Received | null): Promise<S3Response> {
  if (!received) throw new S3Error('MalformedPOSTRequest', 'The form has no file.');
  const { object, stored } = received;
  const { headers = {} } = stored
    ? await createObject(object, parseStoredFields(object.request.headers), stored)
    : {};
  const version = headers['x-amz-version-id'];
  const response = toResponse(received);
  if (version === undefined) return response;
  return { ...response, headers: { ...response.headers, 'x-amz-version-id': version } };
}

/** Answers as the form wants it: by a redirect, with a document, or with nothing. */
function toResponse({ object, fields, etag }: Received): S3Response {
  const { request, bucketName, key } = object;
  const redirect = toUrl(fields.get('success_action_redirect') ?? fields.get('redirect') ?? '');
  if (redirect) {
    for (const [name, value] of Object.entries({ bucket: bucketName, key, etag })) {
      redirect.searchParams.append(name, value);
    }
    return emptyResponse(303, { location: redirect.href, etag });
  }
  const path = key.split('/').map(encodeURIComponent).join('/');
  const location = `${request.basePath}/${encodeURIComponent(bucketName)}/${path}`;
  const status = fields.get('success_action_status');
  if (status !== '201') return emptyResponse(status === '200' ? 200 : 204, { location, etag });
  const response = xmlResponse(
    writeXml('PostResponse', [
      ['Location', location],
      ['Bucket', bucketName],
      ['Key', key],
      ['ETag', etag],
    ]),
    201,
  );
  return { ...response, headers: { ...response.headers, location, etag } };
}

const toUrl = (text: string): URL | null =>
  /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : null;
