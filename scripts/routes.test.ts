import { expect, test } from 'bun:test';
import { fileOf, readRoutes, routesDocument } from './routes.ts';

const route = (method: string, path: string) => ({ method, path, summary: '', auth: [] });
const sources = (texts: Record<string, string>) => new Map(Object.entries(texts));

test('a route is in the file that names its method and its whole path', () => {
  const texts = sources({
    'server/a.ts': `app.get('/files/:bucketID', list).delete(\n  '/files/:bucketID/:fileID',`,
    'server/b.ts': `const CALLS = [['GET', '/files']];`,
    'server/c.ts': `return { '/cdn/*': { GET: deliver, HEAD: deliver } };`,
    'server/d.ts': `fetch('/files/:bucketID'); app.ws('/ws', {});`,
  });
  expect(fileOf(route('GET', '/files/:bucketID'), texts)).toBe('server/a.ts');
  expect(fileOf(route('DELETE', '/files/:bucketID/:fileID'), texts)).toBe('server/a.ts');
  expect(fileOf(route('GET', '/files'), texts)).toBe('server/b.ts');
  expect(fileOf(route('HEAD', '/cdn/*'), texts)).toBe('server/c.ts');
  expect(fileOf(route('WS', '/ws'), texts)).toBe('server/d.ts');
});

test('a route whose path is put together is refused, and one that two files mount', () => {
  const texts = sources({
    'server/a.ts': `new Elysia({ prefix: '/files' }).get('/:bucketID', list);`,
    'server/b.ts': `app.get('/login', page);`,
    'server/c.ts': `app.get('/login', page);`,
  });
  expect(() => fileOf(route('GET', '/files/:bucketID'), texts)).toThrow('by its whole path');
  expect(() => fileOf(route('GET', '/login'), texts)).toThrow('server/b.ts and server/c.ts');
});

test('the list is in the order of paths, with what is known of each route', () => {
  const texts = sources({
    'server/features/files/routes.ts': `app.get('/files/:bucketID', list)`,
    'server/features/docs/page.tsx': `app.get('/docs', page)`,
  });
  const routes = [
    {
      method: 'GET',
      path: '/files/:bucketID',
      summary: 'List | filter',
      auth: ['apiKey', 'session'],
    },
    route('GET', '/docs'),
  ];
  expect(routesDocument(routes, texts).split('\n').slice(-3)).toEqual([
    '| GET | `/docs` | [features/docs/page.tsx](../server/features/docs/page.tsx) |  | Page |',
    '| GET | `/files/:bucketID` | [features/files/routes.ts](../server/features/files/routes.ts) | apiKey, session | List \\| filter |',
    '',
  ]);
});

test('the server tells its routes without being started, those of delivery too', async () => {
  const paths = (await readRoutes()).map(({ method, path }) => `${method} ${path}`);
  expect(paths).toContain('GET /cdn/*');
  expect(paths).toContain('POST /files/upload/image/:bucketID');
  expect(paths).toContain('WS /ws');
});
