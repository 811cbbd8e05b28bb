import { expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { groupServer } from '../../support/server/group-server.ts';

/*
 * Tests what generators of clients need of the OpenAPI document, beside that it is a valid one.
 */

const server = await groupServer();

type Json = Record<string, unknown>;
type Response = { content?: Record<string, { schema?: Json }>; headers?: Json };
type Operation = {
  operationId: string;
  tags: string[];
  parameters?: (Json & { name: string; in: string })[];
  requestBody?: { content: Record<string, { schema?: Json }> };
  responses: Record<string, Response>;
};
type Document = {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json & { properties?: Record<string, Json> }> };
};

const document = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    call: `${method.toUpperCase()} ${path}`,
  })),
);
const { schemas } = document.components;
const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns every object inside a part of the document, with its path. */
function* objectsIn(part: unknown, path = ''): Generator<[path: string, object: Json]> {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) yield [path, part as Json];
  for (const [key, value] of Object.entries(part)) yield* objectsIn(value, `${path}/${key}`);
}

test('the document is valid OpenAPI 3.0, and every reference in it leads somewhere', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect([errors, valid, validator.version]).toEqual([undefined, true, '3.0']);
  for (const [, { $ref }] of objectsIn(document)) {
    if (typeof $ref !== 'string') continue;
    const [, ...keys] = $ref.split('/');
    const target = keys.reduce<unknown>((part, key) => (part as Json)?.[key], document);
    expect([$ref, typeof target]).toEqual([$ref, 'object']);
  }
});

test('every operation has a readable name of its own and a tag that is described', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
  expect(ids.filter((id) => /By[A-Z]|^(post|put|patch)/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const known = document.tags.map(({ name }) => name);
  for (const { call, tags } of operations)
    expect([call, known]).toEqual([call, known.concat(tags.filter((tag) => !known.includes(tag)))]);
});

test('the objects that calls take and respond with have names', () => {
  const unnamed = operations.flatMap(({ call, requestBody, responses }) => [
    ...contentsOf(requestBody).map(([type, schema]) => [`${call} body ${type}`, schema] as const),
    ...Object.entries(responses).flatMap(([status, response]) =>
      contentsOf(response).map(([type, schema]) => [`${call} ${status} ${type}`, schema] as const),
    ),
  ]);
  expect(unnamed.filter(([, schema]) => !('$ref' in schema) && schema.type !== 'string')).toEqual(
    [],
  );
  for (const name of ['StoredFile', 'FilePage', 'Bucket', 'Token', 'ErrorText', 'ErrorCode']) {
    expect(Object.keys(schemas)).toContain(name);
  }
  expect(document.paths['/files/{bucketID}']?.get?.responses[200]?.content).toEqual({
    'application/json': { schema: refTo('FilePage') },
  });
  expect(schemas.FilePage?.properties?.data).toMatchObject({ items: refTo('StoredFile') });
});

const contentsOf = ({ content = {} }: Response = {}) =>
  Object.entries(content).map(([type, { schema = {} }]) => [type, schema] as const);

test('every error has the one shape, with its code in a header', () => {
  for (const { call, responses } of operations) {
    const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    expect([call, errors.length >= 3]).toEqual([call, true]);
    for (const [status, { content, headers }] of errors) {
      // A monitor reads which check has failed.
      if (call === 'GET /health' && status === '503') continue;
      const name = `${call} ${status}`;
      expect([name, content]).toEqual([name, { 'text/plain': { schema: refTo('ErrorText') } }]);
      const expected = status === '429' ? ['x-error-code', 'Retry-After'] : ['x-error-code'];
      expect([name, Object.keys(headers ?? {})]).toEqual([name, expected]);
    }
  }
});

/** The fields and parameters whose names the specification gives in another form. */
const SPECIFIED_NAMES = ['nextId', 'userId', 'chartType'];
/** The names of ids in paths, such as `bucketID` and `p1`, are not sent. */
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

test('every field and parameter of the query is in snake_case', () => {
  const fields = [...objectsIn(document)].flatMap(([path, { properties }]) =>
    typeof properties === 'object' && !path.endsWith('/properties')
      ? Object.keys(properties ?? {})
      : [],
  );
  const parameters = operations.flatMap((operation) =>
    (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name),
  );
  const names = [...new Set([...fields, ...parameters])];
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name) => !SNAKE_CASE.test(name)).sort()).toEqual(SPECIFIED_NAMES.sort());
});

/** The fields that have fractions: amounts of USD, and bytes in the unit of a chart. */
const FRACTIONS = [
  /^(storage|bandwidth|upload|total|opening|charged|added|closing|amount|owed)$/,
  /^(credit|credited|paid|paid_credit|refunded|revenue|usd|data|per_day|balance|spend|outstanding|unbilled)$/,
];
const BYTES =
  /^(size|bytes|stored|unfinished|bandwidth_limit|bandwidth_daily_limit|max_bytes|max_file_bytes|storage_limit|free|reserve)$/;

test('whole numbers are integers and nothing else, those of bytes with 64 bits', () => {
  const wrong: unknown[] = [];
  for (const [path, schema] of objectsIn(document)) {
    const name = path.split('/').at(-1) ?? '';
    if (schema.type === 'number') {
      const isOfChart =
        /\/schemas\/(Chart\/properties\/(previous\/properties\/)?usage|AuditLogEntry\/)/.test(path);
      if (!isOfChart && !FRACTIONS.some((one) => one.test(name))) wrong.push([path, schema]);
    }
    if (path.includes('/properties/') && BYTES.test(name) && schema.format !== 'int64')
      wrong.push([path, schema]);
    const variants = Array.isArray(schema.anyOf) ? (schema.anyOf as Json[]) : [];
    if (variants.some(({ type }) => type === 'null')) wrong.push([path, schema]);
    if (variants.some(({ format }) => ['integer', 'numeric', 'boolean'].includes(String(format))))
      wrong.push([path, schema]);
    if (Array.isArray(schema.enum) && schema.enum.includes('')) wrong.push([path, schema]);
    if (typeof schema.error === 'string') wrong.push([path, schema]);
  }
  expect(wrong).toEqual([]);
});

/** The fields of a file whose names say all. */
const PLAIN = ['id', 'name', 'file_type', 'access', 'width', 'height'];

test('a field of a file or a bucket that its name does not explain has a description', () => {
  for (const name of ['StoredFile', 'Bucket']) {
    for (const [field, schema] of Object.entries(schemas[name]?.properties ?? {})) {
      if (PLAIN.includes(field)) continue;
      expect([name, field, typeof schema.description]).toEqual([name, field, 'string']);
    }
  }
});

test('a tus upload names the headers that it takes and responds with', () => {
  const headersOf = (id: string) =>
    (operations.find(({ operationId }) => operationId === id)?.parameters ?? [])
      .filter((one) => one.in === 'header')
      .map(({ name }) => name);
  expect(headersOf('createTusUpload')).toEqual([
    'Tus-Resumable',
    'Upload-Length',
    'Upload-Metadata',
  ]);
  expect(headersOf('resumeTusUpload')).toEqual([
    'Tus-Resumable',
    'Upload-Offset',
    'Upload-Checksum',
  ]);
  expect(headersOf('cancelTusUpload')).toEqual(['Tus-Resumable']);
  const created = document.paths['/files/tus/{bucketID}']?.post?.responses[201];
  expect(Object.keys(created?.headers ?? {})).toEqual(['Location', 'Upload-Expires', 'X-File-Id']);
  const { requestBody } = document.paths['/files/tus/{bucketID}/{uploadID}']?.patch ?? {};
  expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/offset+octet-stream']);
});
