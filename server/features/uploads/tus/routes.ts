import { Elysia } from 'elysia';
import { lazily } from '../../../contract/lazily.ts';
import { type AppError, gone, notFound } from '../../../errors.ts';
import { isId } from '../../../platform/ids.ts';
import { openApiResponses } from '../../../web/http/openapi-responses.ts';
import type { Accounts } from '../../accounts/service.ts';
import { bucketGuard, type Caller } from '../../tokens/guard.ts';
import type { Tokens } from '../../tokens/service.ts';
import { CHECKSUM_ALGORITHMS, checksumOf, withRequest } from './request-headers.ts';
import { idIn, type TusServices } from './server.ts';
import * as store from './store.ts';

/** The methods that a client may send as POST, where a proxy lets no other method through. */
const OVERRIDES = ['PATCH', 'HEAD', 'DELETE'];

type HeaderParameter = { name: string; description: string; required: boolean; schema: object };
const TUS_RESUMABLE: HeaderParameter = {
  name: 'Tus-Resumable',
  description: 'The version of the protocol.',
  required: true,
  schema: { type: 'string', enum: ['1.0.0'], default: '1.0.0' },
};
const byteHeader = (name: string, description: string, example: number): HeaderParameter => ({
  name,
  description,
  required: true,
  schema: { type: 'integer', format: 'int64', minimum: 0, example },
});
const CREATE_HEADERS: HeaderParameter[] = [
  byteHeader('Upload-Length', 'The bytes of the whole file.', 1_048_576),
  {
    name: 'Upload-Metadata',
    description: 'Keys with values in base64, separated by commas, such as filename and access.',
    required: false,
    schema: { type: 'string', example: 'filename aGFyYm91ci5qcGc=,access cHVibGlj' },
  },
];
const RESUME_HEADERS: HeaderParameter[] = [
  byteHeader('Upload-Offset', 'The bytes that the server has already received.', 0),
  {
    name: 'Upload-Checksum',
    description: 'An algorithm, and the checksum of this body in base64. Wrong bytes are refused.',
    required: false,
    schema: { type: 'string', example: 'sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' },
  },
];
type SentHeader = { description: string; schema: { type: 'string' | 'integer'; format?: string } };
type SentHeaders = Record<string, SentHeader>;
const EXPIRES: SentHeader = { description: 'When the upload expires.', schema: { type: 'string' } };
const CREATED_HEADERS: SentHeaders = {
  Location: { description: 'The URL of the upload.', schema: { type: 'string' } },
  'Upload-Expires': EXPIRES,
};
const RESUMED_HEADERS: SentHeaders = {
  'Upload-Offset': {
    description: 'The bytes that the server has received.',
    schema: { type: 'integer', format: 'int64' },
  },
  'Upload-Expires': EXPIRES,
};
const RESUME_BODY = {
  required: true,
  content: {
    'application/offset+octet-stream': {
      schema: { type: 'string' as const, format: 'binary', description: 'The next bytes.' },
    },
  },
};
const RESUME_ERRORS = {
  409: 'Upload-Offset is not where the upload stands.',
  460: "The bytes don't match Upload-Checksum.",
};

/** Adds headers to the descriptions of a call and of its successful response. */
function withHeaders<Detail extends ReturnType<typeof detail>>(
  { detail: described }: Detail,
  taken: HeaderParameter[],
  sent: Record<number, SentHeaders> = {},
) {
  const responses = Object.entries(described.responses).map(([status, response]) => {
    const headers = sent[Number(status)];
    return [status, headers ? { ...response, headers } : response] as const;
  });
  const parameters = [TUS_RESUMABLE, ...taken].map((one) => ({ in: 'header' as const, ...one }));
  return { detail: { ...described, parameters, responses: Object.fromEntries(responses) } };
}

const detail = (operationId: string, summary: string, texts: Record<number, string>) => ({
  detail: {
    operationId,
    summary,
    description: 'tus 1.0.0, for any tus client; see https://tus.io/protocols/resumable-upload',
    tags: ['Uploads'],
    security: [{ apiKey: [] }, { session: [] }, { writeToken: [] }] as Record<string, string[]>[],
    ...openApiResponses({ 412: 'Tus-Resumable is missing or not 1.0.0.', ...texts }),
  },
});

const CREATE_DETAIL = withHeaders(
  detail('createTusUpload', 'Start a resumable upload', {
    201: 'Created. Send the rest to the URL in Location.',
  }),
  CREATE_HEADERS,
  { 201: CREATED_HEADERS },
);
const RESUMED = withHeaders(
  detail('resumeTusUpload', 'Continue a resumable upload', {
    204: 'Upload-Offset has the number of received bytes. The last request creates the file.',
    ...RESUME_ERRORS,
  }),
  RESUME_HEADERS,
  { 204: RESUMED_HEADERS },
);
const RESUME_DETAIL = { detail: { ...RESUMED.detail, requestBody: RESUME_BODY } };
const CANCEL_DETAIL = withHeaders(
  detail('cancelTusUpload', 'Cancel a resumable upload', { 204: 'Cancelled; nothing is stored.' }),
  [],
);

type Call = { request: Request; caller: Caller };

/**
 * Mounts resumable uploads by the tus protocol at `/files/tus/{bucketID}`. Any origin may send
 * them, because no cookie authorises them. An upload exists only for its uploader.
 */
export function tusRoutes(services: TusServices & { accounts: Accounts; tokens: Tokens }) {
  const handlers = new TusHandlers(services);
  const handle = (call: Call) => handlers.handle(call);
  const guarded = { caller: 'upload', parse: 'none' } as const;
  return new Elysia()
    .use(bucketGuard(services))
    .options('/files/tus/*', ({ request }) => handlers.describe(request))
    .post('/files/tus/:bucketID', handle, {
      ...guarded,
      ...CREATE_DETAIL,
    })
    .head('/files/tus/:bucketID/:uploadID', handle, guarded)
    .post('/files/tus/:bucketID/:uploadID', (call) => handlers.handleOverridden(call), {
      ...guarded,
      detail: { hide: true },
    })
    .patch('/files/tus/:bucketID/:uploadID', handle, {
      ...guarded,
      ...RESUME_DETAIL,
    })
    .delete('/files/tus/:bucketID/:uploadID', handle, {
      ...guarded,
      ...CANCEL_DETAIL,
    });
}

/** Passes calls to the server of the tus library, and remembers their callers. */
class TusHandlers {
  private readonly services: TusServices;
  private readonly callers = new WeakMap<object, Caller>();
  private readonly errors = new WeakMap<object, AppError>();

  constructor(services: TusServices) {
    this.services = services;
  }

  async handle({ request, caller }: Call): Promise<Response> {
    const id = idIn(request.url);
    if (id !== undefined) await this.requireOwn(id, caller);
    this.callers.set(request, caller);
    const server = await this.server();
    const checksum = checksumOf(request.headers.get('upload-checksum'));
    const response = await withRequest({ checksum, caller }, () => server.handleWeb(request));
    const error = this.errors.get(request);
    // The library responds with the text of an error only.
    if (error) response.headers.set('x-error-code', error.code);
    return response;
  }

  /**
   * tus 1.0.0, X-HTTP-Method-Override: "MUST be interpreted as the request's method by the Server".
   */
  async handleOverridden({ request, caller }: Call): Promise<Response> {
    const method = request.headers.get('x-http-method-override')?.toUpperCase() ?? '';
    if (!OVERRIDES.includes(method)) throw notFound('Page');
    const { url, headers, body, signal } = request;
    const init = { method, headers, signal, ...(method === 'PATCH' && { body }) };
    return this.handle({ request: new Request(url, init), caller });
  }

  /** Responds to OPTIONS with the capabilities of the server. */
  async describe(request: Request): Promise<Response> {
    const response = await (await this.server()).handleWeb(request);
    response.headers.set('tus-checksum-algorithm', CHECKSUM_ALGORITHMS.join());
    return response;
  }

  private async requireOwn(id: string, caller: Caller): Promise<void> {
    const { database, clock } = this.services;
    const upload = isId(id) ? await store.findAnyUpload(database.db, id) : undefined;
    const isTheirs = upload?.bucket_id === caller.bucket.id && upload.uploader === caller.uploader;
    if (!isTheirs) throw notFound('Upload');
    if (upload.expires_at <= clock()) throw gone('The upload has expired. Start over.');
  }

  /** The library is loaded with the first tus upload, so that the server starts sooner. */
  private readonly server = lazily(async () => {
    const { createTusServer } = await import('./server.ts');
    return createTusServer(
      this.services,
      (request) => this.callers.get(request as object),
      (request, error) => this.errors.set(request, error),
    );
  });
}
