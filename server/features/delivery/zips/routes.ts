import type { Server } from 'bun';
import { Elysia, t } from 'elysia';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { sendSized } from '../../../platform/tcp/send-sized.ts';
import { contentDisposition } from '../content-disposition.ts';
import { hostsOf, RuleCheck, toFileRules } from '../rule-check.ts';
import { ZipDownloads } from './zip-downloads.ts';

type Services = ConstructorParameters<typeof ZipDownloads>[0] & {
  log: Log;
  appUrl: string;
  regionRouter: { cdnUrls: string[] };
  clock: Clock;
  trustedHops: number;
};

type Context = {
  request: Request;
  server: Server<unknown> | null;
  params: { bucketID: string; zipID: string };
  query: { token?: string };
  set: { headers: Record<string, unknown> };
};

/** Mounts the downloads of ZIPs, which are authorised by the token in their links alone, as a browser follows them. */
export function zipDownloadRoutes(services: Services) {
  const { log, appUrl, regionRouter } = services;
  const downloads = new ZipDownloads(services);
  const ownHosts = hostsOf([appUrl, ...regionRouter.cdnUrls]);
  const ruleCheck = new RuleCheck({ ...services, ownHosts });
  const respond = async ({ request, server, params, query, set }: Context): Promise<Response> => {
    const link = { bucketId: params.bucketID, zipId: params.zipID, token: query.token };
    const { bucket, recheck } = await downloads.authorize(link);
    const rules = toFileRules(bucket, link.zipId);
    if (rules) ruleCheck.require(request, server ?? undefined, rules);
    const zip = await downloads.contents(link);
    const headers = new Headers(set.headers as Record<string, string>);
    headers.set('content-type', 'application/zip');
    headers.set('content-length', String(zip.size));
    headers.set('content-disposition', contentDisposition('attachment', zip.name));
    headers.set('cache-control', 'private, no-store');
    headers.set('accept-ranges', 'none');
    if (request.method === 'HEAD') return new Response(null, { headers });
    const body = await downloads.open(bucket, zip, recheck);
    const sending = server && sendSized(request, server, { headers, body });
    if (!sending) return new Response(body, { headers });
    await sending.catch((error) => log.error({ error: String(error) }, 'sending a ZIP failed'));
    // The connection has ended, so this goes nowhere.
    return new Response(null);
  };
  const options = {
    query: t.Object({ token: t.Optional(t.String({ maxLength: 2048 })) }),
    detail: { hide: true },
  } as const;
  return new Elysia()
    .get('/files/zip/:bucketID/:zipID', (context) => respond(context), options)
    .head('/files/zip/:bucketID/:zipID', (context) => respond(context), options);
}
