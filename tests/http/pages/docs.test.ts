import { expect, test } from 'bun:test';
import type { DocsSearchEntry } from '../../../server/contract/wire.ts';
import { API_GROUPS } from '../../../server/features/docs/api-document.ts';
import { groupPath } from '../../../server/features/docs/docs-navigation.tsx';
import { dereferenced } from '../../../server/features/docs/document-schemas.ts';
import { GUIDE_PAGES } from '../../../server/features/docs/guide-pages.ts';
import { groupServer } from '../../support/server/group-server.ts';

const server = await groupServer();

type Document = {
  paths: Record<
    string,
    Record<
      string,
      { summary: string; tags: string[]; responses: object; requestBody?: { content?: object } }
    >
  >;
};

type Described = { content?: Record<string, { schema?: { type?: string } }> };

/** The calls of the specification that exist, and our own. */
const CALLS = [
  'POST /users/signup',
  'POST /users/verify',
  'POST /users/login',
  'POST /users/login/trusted',
  'POST /users/logout',
  'POST /users/send/email/no/auth/{p1}/{p2}',
  'POST /users/email',
  'PUT /users/email',
  'POST /users/email/undo',
  'GET /users/profile',
  'PUT /users/update/password',
  'POST /users/confirm/password',
  'POST /users/empty',
  'DELETE /users/',
  'GET /users/sessions',
  'GET /users/logins',
  'GET /users/trusted-browsers',
  'DELETE /users/trusted-browsers/{id}',
  'DELETE /users/sessions',
  'DELETE /users/sessions/{id}',
  'GET /users/mail/status',
  'GET /users/storage',
  'GET /users/summary',
  'GET /buckets/',
  'POST /buckets/',
  'GET /buckets/regions',
  'GET /buckets/{bucketID}',
  'GET /buckets/chart/{bucketID}',
  'GET /buckets/top-files/{bucketID}',
  'POST /buckets/jwt/{bucketID}/{expires}/{scope}',
  'PUT /buckets/name/webhook/{bucketID}',
  'PUT /buckets/bandwidth-limit/{bucketID}',
  'PUT /buckets/delivery-rules/{bucketID}',
  'PUT /buckets/retention/{bucketID}',
  'PUT /buckets/upload-rules/{bucketID}',
  'PUT /buckets/s3/{bucketID}',
  'GET /buckets/transforms/{bucketID}',
  'PUT /buckets/transforms/{bucketID}',
  'GET /buckets/api-key/{bucketID}',
  'PUT /buckets/roll/api-key/{bucketID}',
  'GET /buckets/api-keys/{bucketID}',
  'POST /buckets/api-keys/{bucketID}',
  'DELETE /buckets/api-keys/{bucketID}/{keyID}',
  'GET /buckets/webhook/attempts/{bucketID}/{attemptID}',
  'POST /buckets/webhook/replay/{bucketID}',
  'GET /buckets/tokens/{bucketID}',
  'DELETE /buckets/tokens/{bucketID}/{tokenID}',
  'GET /s3-keys',
  'POST /s3-keys',
  'POST /s3-keys/diagnosis',
  'DELETE /s3-keys/{keyID}',
  'GET /buckets/webhook/secret/{bucketID}',
  'PUT /buckets/roll/webhook-secret/{bucketID}',
  'GET /buckets/webhook/attempts/{bucketID}',
  'POST /buckets/webhook/replay/{bucketID}/{attemptID}',
  'POST /buckets/webhook/test/{bucketID}',
  'POST /buckets/is/empty/{bucketID}',
  'DELETE /buckets/{bucketID}',
  'GET /files/{bucketID}',
  'GET /files/{bucketID}/{fileID}',
  'PATCH /files/{bucketID}/{fileID}',
  'DELETE /files/{bucketID}/{fileID}',
  'GET /files/folder/{bucketID}',
  'POST /files/folder/{bucketID}',
  'POST /files/folder-jobs/{bucketID}',
  'GET /files/folder-jobs/{bucketID}',
  'GET /files/folder-jobs/{bucketID}/{jobID}',
  'DELETE /files/folder-jobs/{bucketID}/{jobID}',
  'DELETE /files/folder/{bucketID}',
  'POST /files/import/{bucketID}',
  'GET /buckets/source/{bucketID}',
  'PUT /buckets/source/{bucketID}',
  'DELETE /buckets/source/{bucketID}',
  'DELETE /buckets/source/{bucketID}/exclusions',
  'POST /files/s3-imports/{bucketID}',
  'GET /files/s3-imports/{bucketID}',
  'GET /files/s3-imports/{bucketID}/{importID}',
  'DELETE /files/s3-imports/{bucketID}/{importID}',
  'POST /files/copy/{bucketID}/{fileID}',
  'POST /files/bulk/copy/{bucketID}',
  'POST /files/zip/{bucketID}',
  'POST /files/bulk/restore/{bucketID}',
  'POST /files/bulk/purge/{bucketID}',
  'POST /files/bulk/delete/{bucketID}',
  'POST /files/bulk/move/{bucketID}',
  'POST /files/bulk/access/{bucketID}',
  'GET /files/trash/{bucketID}',
  'DELETE /files/trash/{bucketID}',
  'DELETE /files/trash/{bucketID}/{fileID}',
  'GET /files/{bucketID}/{fileID}/versions',
  'POST /files/{bucketID}/{fileID}/restore',
  'POST /files/{bucketID}/{fileID}/retry',
  'POST /files/resolution/video/{bucketID}',
  'GET /files/upload/image/{bucketID}/{clientID}',
  'GET /files/upload/video/{bucketID}/{clientID}',
  'DELETE /files/upload/video/{bucketID}/{clientID}',
  'POST /files/upload/file/{bucketID}',
  'POST /files/upload/image/{bucketID}',
  'POST /files/upload/video/{bucketID}',
  'POST /files/tus/{bucketID}',
  'PATCH /files/tus/{bucketID}/{uploadID}',
  'DELETE /files/tus/{bucketID}/{uploadID}',
  'GET /payments/user/',
  'POST /payments/stripe/checkout/{amount}',
  'GET /payments/stripe/update',
  'POST /payments/crypto/checkout/{amount}',
  'POST /payments/stripe/webhook',
  'POST /payments/crypto/webhook',
  'GET /users/balance',
  'GET /billing/charges/{day}',
  'GET /billing/costs',
  'GET /billing/statements',
  'GET /billing/statements/{month}',
  'GET /admin/operations',
  'GET /admin/overview',
  'GET /admin/buckets',
  'GET /admin/buckets/{bucketID}',
  'POST /admin/buckets/{bucketID}/ban',
  'POST /admin/buckets/{bucketID}/unban',
  'DELETE /admin/buckets/{bucketID}',
  'GET /admin/users',
  'GET /admin/users/{userID}',
  'POST /admin/users/{userID}/ban',
  'POST /admin/users/{userID}/unban',
  'POST /admin/users/{userID}/credit',
  'PUT /admin/users/{userID}/storage-limit',
  'DELETE /admin/users/{userID}',
  'GET /admin/logs',
  'GET /admin/logs/export',
  'DELETE /admin/logs/{logID}',
  'GET /admin/jobs',
  'GET /admin/users/{userID}/ledger',
  'GET /admin/users/{userID}/payments',
  'POST /admin/payments/{paymentID}/refund',
  'GET /admin/payments/owed',
  'POST /admin/jobs/{jobID}/retry',
  'GET /metrics',
  'GET /health',
];

/** Calls that need nothing but their path. */
const BODILESS = [
  'POST /files/{bucketID}/{fileID}/restore',
  'POST /users/logout',
  'POST /users/empty',
  'POST /buckets/is/empty/{bucketID}',
  'PUT /buckets/roll/api-key/{bucketID}',
  'PUT /buckets/roll/webhook-secret/{bucketID}',
  'POST /buckets/webhook/replay/{bucketID}/{attemptID}',
  'POST /buckets/webhook/test/{bucketID}',
  'POST /files/tus/{bucketID}',
  'POST /payments/stripe/checkout/{amount}',
  'POST /payments/crypto/checkout/{amount}',
  'POST /payments/stripe/webhook',
  'POST /payments/crypto/webhook',
  'POST /admin/buckets/{bucketID}/ban',
  'POST /admin/buckets/{bucketID}/unban',
  'POST /admin/users/{userID}/ban',
  'POST /admin/users/{userID}/unban',
  'POST /admin/jobs/{jobID}/retry',
  'POST /files/{bucketID}/{fileID}/retry',
];
const DELETES_WITH_BODY = [
  'DELETE /users/',
  'DELETE /buckets/{bucketID}',
  'DELETE /admin/buckets/{bucketID}',
  'DELETE /admin/users/{userID}',
];

test('the reference names every call, each with a summary, a group and its errors, and no page', async () => {
  const document = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  expect(operations.map(({ call }) => call).sort()).toEqual([...CALLS].sort());
  for (const { call, operation } of operations) {
    expect([call, operation.tags.length]).toEqual([call, 1]);
    expect(operation.responses).toHaveProperty('429');
    const [method = ''] = call.split(' ');
    const sends = ['POST', 'PUT', 'PATCH'].includes(method) && !BODILESS.includes(call);
    expect([call, Object.keys(operation.requestBody?.content ?? {}).length > 0]).toEqual([
      call,
      sends || DELETES_WITH_BODY.includes(call),
    ]);
  }
});

/** Responses without a body whose status is not 204. */
const EMPTY = ['post /files/tus/{bucketID} 201'];

test('each call says what it answers when all is well, and of what that is made', async () => {
  const response = await fetch(`${server.url}/docs/openapi.json`);
  const document = dereferenced((await response.json()) as Document);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const call = `${method} ${path}`;
      const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      const max = call === 'post /files/upload/video/{bucketID}' ? 2 : 1;
      expect([call, good.length]).toEqual([call, max]);
      for (const [status, response] of good as [string, Described][]) {
        const name = `${call} ${status}`;
        const contents = Object.values(response.content ?? {});
        const isEmpty = status === '204' || EMPTY.includes(name);
        expect([name, contents.length > 0]).toEqual([name, !isEmpty]);
        for (const { schema = {} } of contents) {
          const isDescribed =
            'properties' in schema || 'anyOf' in schema || schema.type === 'string';
          expect([name, isDescribed]).toEqual([name, true]);
        }
      }
    }
  }
});

test('the page of the reference needs nothing from elsewhere', async () => {
  const response = await fetch(`${server.url}/docs`, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(200);
  const page = await response.text();
  for (const call of CALLS) {
    expect(page).toContain(call.split(' ')[1]?.replace(/\/$/, '') ?? '');
  }
  expect(page).not.toMatch(/(src|href)="https?:\/\/(?!127\.0\.0\.1)/);
});

test('the list of all calls and each group have less than 3,000 elements before a call is opened', async () => {
  for (const path of ['/docs', ...API_GROUPS.map(({ name }) => groupPath(name))]) {
    const response = await fetch(server.url + path, { headers: { accept: 'text/html' } });
    expect([path, response.status]).toEqual([path, 200]);
    const html = await response.text();
    // With scripts, browsers make no elements of what is in `noscript`.
    const atFirst = html.replace(/<noscript>.*?<\/noscript>/gs, '');
    const elements = atFirst.match(/<[a-z]/g)?.length ?? 0;
    expect(elements, path).toBeGreaterThan(100);
    expect(elements, path).toBeLessThan(3000);
    expect([path, html.includes('hljs-string')]).toEqual([path, path !== '/docs']);
  }
  const unknown = await fetch(`${server.url}/docs/api/nothing`, {
    headers: { accept: 'text/html' },
  });
  expect(unknown.status).toBe(404);
});

test('the search index has every section of the guide and every call, and the reference begins with uploads', async () => {
  const entries = (await (
    await fetch(`${server.url}/docs/search.json`)
  ).json()) as DocsSearchEntry[];
  const paths = new Set(entries.map(({ path }) => path));
  for (const { slug } of GUIDE_PAGES) expect(paths).toContain(`/docs/${slug}`);
  expect(paths).toContain('/docs/quick-start#upload-from-your-language');
  expect(entries.filter(({ kind }) => kind === 'call')).toHaveLength(CALLS.length);
  for (const { text } of entries) expect(text).not.toMatch(/&quot;|<h2/);
  const html = await (
    await fetch(`${server.url}/docs`, { headers: { accept: 'text/html' } })
  ).text();
  const groups = [...html.matchAll(/<h2 class="text-xl font-semibold"><a[^>]*>([^<]*)/g)].map(
    ([, name]) => name,
  );
  expect(groups.slice(0, 3)).toEqual(['Uploads', 'Files', 'Tokens']);
});
