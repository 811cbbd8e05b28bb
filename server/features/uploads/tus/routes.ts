import { Elysia } from 'elysia';
import { memoizeAsync } from '../../../contract/memoize.ts';
import { AppError, badRequest, notFound } from '../../../errors.ts';
import { isId } from '../../../platform/ids.ts';
import { preflightHeaders } from '../../../web/http/cross-origin.ts';
import { can } from '../../access/can.ts';
import { bucketGuard, type Caller, type GuardServices } from '../../tokens/guard.ts';
import { uploadExpired } from '../sessions/complete-upload.ts';
import { preconditionsOf } from '../sessions/description.ts';
import { findUpload } from '../sessions/store.ts';
import { CANCEL_DETAIL, CREATE_DETAIL, RESUME_DETAIL } from './descriptions.ts';
import {
  CHECKSUM_ALGORITHMS,
  checksumOf,
  idIn,
  lengthOf,
  type TusRequest,
  withRequest,
} from './request-headers.ts';
import type { TusDeps } from './server.ts';

const VERSION = '1.0.0';
/** The methods that a client may send as POST, where a proxy lets no other method through. */
const OVERRIDES = ['PATCH', 'HEAD', 'DELETE'];

type Call = {
  request: Request;
  caller: Caller;
  set: { headers: Record<string, string | number> };
};

/**
 * Mounts resumable uploads by the tus protocol at `/files/tus/{bucketID}`. Any origin may send
 * them, because no cookie authorises them. An upload exists only for its uploader.
 */
export function tusRoutes(services: TusDeps & GuardServices) {
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

/** Passes calls to the server of the tus library. */
class TusHandlers {
  constructor(private readonly services: TusDeps) {}

  /** Returns the response to a call. Throws AppError, and what is unexpected. */
  async handle({ request, caller, set }: Call, method = request.method): Promise<Response> {
    const { headers, url } = request;
    set.headers['tus-resumable'] = VERSION;
    requireVersion(headers);
    // Clients repeat a request after the library's 501.
    if (headers.has('upload-concat'))
      throw badRequest('Send the file as one upload, not in parallel.');
    const id = idIn(url);
    if (id) await this.requireOwn(id, caller);
    const call: TusRequest = {
      checksum: checksumOf(headers.get('upload-checksum')),
      length: lengthOf(headers.get('upload-length')),
      preconditions: preconditionsOf(headers),
      caller,
    };
    const server = await this.server();
    const response = await withRequest(call, () => server.handleWeb(toTusRequest(request, method)));
    if (!response.ok) {
      // The library closes the connection of a client that would go on to send its bytes.
      const connection = response.headers.get('connection');
      if (connection) set.headers.connection = connection;
      throw call.error ?? badRequest(sentenceOf(await response.text()));
    }
    if (id && method === 'HEAD') await this.addFileId(id, response);
    // Ours name more headers.
    response.headers.delete('access-control-expose-headers');
    return response;
  }

  /**
   * tus 1.0.0, X-HTTP-Method-Override: "MUST be interpreted as the request's method by the Server".
   */
  async handleOverridden(call: Call): Promise<Response> {
    const method = call.request.headers.get('x-http-method-override')?.toUpperCase() ?? '';
    if (!OVERRIDES.includes(method)) throw notFound('Page');
    return this.handle(call, method);
  }

  /** Responds to OPTIONS with the capabilities of the server. */
  async describe(request: Request): Promise<Response> {
    const response = await (await this.server()).handleWeb(request);
    const headers = {
      ...preflightHeaders(request),
      'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(),
    };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  }

  private async requireOwn(id: string, caller: Caller): Promise<void> {
    const { database, clock } = this.services;
    const upload = isId(id) ? await findUpload(database.db, id) : undefined;
    const { principal, bucket } = caller;
    if (!upload || can(principal, 'continue-upload', { upload, bucket })) throw notFound('Upload');
    if (upload.expires_at <= clock()) throw uploadExpired();
  }

  /** Tells the file of a finished upload. A client whose last response was lost knows it from nowhere else. */
  private async addFileId(id: string, response: Response): Promise<void> {
    const upload = await findUpload(this.services.database.db, id);
    if (upload?.file_id) response.headers.set('x-file-id', upload.file_id);
  }

  /** The library is loaded with the first tus upload, so that the server starts sooner. */
  private readonly server = memoizeAsync(async () => {
    const { createTusServer } = await import('./server.ts');
    return createTusServer(this.services);
  });
}

/**
 * tus 1.0.0, Tus-Resumable: "If the version specified by the Client is not supported by the Server, it MUST
 * respond with the 412 Precondition Failed status and MUST include the Tus-Version header".
 */
function requireVersion(headers: Headers): void {
  if (headers.get('tus-resumable') === VERSION) return;
  const text = `The Tus-Resumable header must be ${VERSION}.`;
  throw new AppError(412, 'other-version', text, { 'tus-version': VERSION });
}

/** Returns what the library reads of a request. */
function toTusRequest({ url, headers, body }: Request, method: string): Request {
  const read = new Headers(headers);
  // The library refuses two values, which two proxies send, and does nothing else with this header.
  read.delete('x-forwarded-proto');
  return {
    url,
    method,
    headers: read,
    body: method === 'PATCH' || method === 'POST' ? body : null,
  } as Request;
}

/** Returns a sentence for the text of the library about headers, which is 'Invalid' and their names. */
const sentenceOf = (text: string) =>
  `Not a valid value in: ${text
    .replace(/^Invalid /, '')
    .trim()
    .split(' ')
    .join(', ')}.`;
