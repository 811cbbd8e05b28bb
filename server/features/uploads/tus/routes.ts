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

const detail = (summary: string, texts: Record<number, string>) => ({
  detail: {
    summary,
    description: 'tus 1.0.0, for any tus client; see https://tus.io/protocols/resumable-upload',
    tags: ['Uploads'],
    security: [{ apiKey: [] }, { session: [] }, { writeToken: [] }] as Record<string, string[]>[],
    ...openApiResponses(texts),
  },
});

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
      ...detail('Start a resumable upload', {
        201: 'Created. Send the rest to the URL in Location.',
      }),
    })
    .head('/files/tus/:bucketID/:uploadID', handle, guarded)
    .post('/files/tus/:bucketID/:uploadID', (call) => handlers.handleOverridden(call), {
      ...guarded,
      detail: { hide: true },
    })
    .patch('/files/tus/:bucketID/:uploadID', handle, {
      ...guarded,
      ...detail('Continue a resumable upload', {
        204: 'Upload-Offset has the number of received bytes. The last request creates the file.',
      }),
    })
    .delete('/files/tus/:bucketID/:uploadID', handle, {
      ...guarded,
      ...detail('Cancel a resumable upload', { 204: 'Cancelled; nothing is stored.' }),
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
