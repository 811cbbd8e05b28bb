import { expect, test } from 'bun:test';
import { renderToStaticMarkup } from 'react-dom/server';
import { curlLines } from './example.ts';
import { readDocument } from './openapi.ts';
import { ApiGroup, DocsHome } from './reference.tsx';
import { fieldsOf, limitsText, typeText } from './schema-text.ts';

const email = { type: 'string', minLength: 3, maxLength: 254 };
/** As Elysia writes a number that may also come as text. */
const code = {
  minimum: 100_000,
  maximum: 999_999,
  anyOf: [
    { type: 'string', format: 'integer', default: 0 },
    { type: 'integer', minimum: 100_000, maximum: 999_999 },
  ],
};
const file = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, width: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
};
const document = {
  servers: [{ url: 'https://wharf.example' }],
  tags: [{ name: 'Files', description: 'What is in a bucket.' }],
  paths: {
    '/users/login': {
      post: {
        tags: ['Accounts'],
        summary: 'Step 2 of the login',
        requestBody: {
          content: {
            'text/plain': { schema: email },
            'application/json': {
              schema: {
                type: 'object',
                required: ['email', 'email_token'],
                properties: { email, email_token: code },
              },
            },
          },
        },
        responses: { 200: { description: 'A session' }, 422: { description: 'The code is wrong' } },
      },
    },
    '/files/{bucketID}': {
      get: {
        tags: ['Files'],
        security: [{ key: [] }],
        parameters: [
          { name: 'bucketID', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } },
        ],
        responses: {
          200: {
            description: 'A page',
            content: {
              'application/json': {
                schema: { type: 'object', properties: { data: { type: 'array', items: file } } },
              },
            },
          },
        },
      },
    },
    '/files/upload/image/{bucketID}': {
      post: {
        tags: ['Files'],
        security: [{ key: [] }],
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  access: { enum: ['public', 'private'] },
                  file: { type: 'string', format: 'binary' },
                },
              },
            },
          },
        },
      },
    },
    '/health/': { get: {} },
  },
};
const { server, groups } = readDocument(document);
const operations = groups.flatMap((group) => group.operations);
const operation = (path: string) => {
  const match = operations.find((one) => one.path === path);
  if (!match) throw new Error(`No operation at ${path}.`);
  return match;
};

test('calls are grouped by tag, in the order of the document’s tags, then as they come', () => {
  expect(groups.map(({ name, operations }) => [name, operations.length])).toEqual([
    ['Files', 2],
    ['Accounts', 1],
    ['Other', 1],
  ]);
});

test('a body that may come in several types is shown as JSON', () => {
  expect(operation('/users/login').body?.type).toBe('application/json');
  expect(operation('/health').body).toBeNull();
});

test('the example is a command that a shell takes', () => {
  expect(curlLines(operation('/users/login'), server)).toEqual([
    'curl "https://wharf.example/users/login"',
    "-H 'Content-Type: application/json'",
    `-d '{"email":"ana@example.com","email_token":123456}'`,
  ]);
  expect(curlLines(operation('/files/upload/image/{bucketID}'), server)).toContain('-F file=@FILE');
});

test('the example has the required headers, and sends a binary body as it is', () => {
  const example = curlLines(
    {
      ...operation('/files/upload/image/{bucketID}'),
      parameters: [
        { name: 'Upload-Offset', in: 'header', required: true, schema: { type: 'integer' } },
        { name: 'Upload-Checksum', in: 'header', schema: { type: 'string' } },
      ],
      body: {
        type: 'application/offset+octet-stream',
        schema: { type: 'string', format: 'binary' },
        example: undefined,
      },
    },
    server,
  );
  expect(example.slice(2)).toEqual([
    "-H 'Upload-Offset: 0'",
    "-H 'Content-Type: application/offset+octet-stream'",
    '--data-binary @FILE',
  ]);
});

test('a call that needs somebody shows how to say who it is, another one does not', () => {
  expect(curlLines(operation('/files/{bucketID}'), server).join(' ')).toContain('Bearer $API_KEY');
  expect(curlLines(operation('/users/login'), server).join(' ')).not.toContain('Authorization');
});

test('an apostrophe in an example does not end the shell’s string', () => {
  const body = { type: 'application/json', schema: {}, example: { name: "Ana's" } };
  expect(curlLines({ ...operation('/users/login'), body }, server)[2]).toBe(
    `-d '{"name":"Ana'\\''s"}'`,
  );
});

test('types and limits are told in words', () => {
  expect(typeText({ anyOf: [{ type: 'integer' }, { type: 'null' }] })).toBe('integer or null');
  expect(typeText({ type: 'string', nullable: true })).toBe('string or null');
  expect(typeText({ anyOf: [{ const: 'a' }, { const: 'b' }] })).toBe('"a" or "b"');
  expect(typeText({ type: 'string', enum: ['public', ''] })).toBe('"public"');
  expect(typeText(code)).toBe('integer');
  expect(typeText({ type: 'array', items: file })).toBe('list of objects');
  expect(limitsText(email)).toBe('3 to 254 characters');
  expect(limitsText(code)).toBe('100000 to 999999');
});

test('fields inside a list are named by their way', () => {
  const schema = { type: 'object', properties: { data: { type: 'array', items: file } } };
  expect(fieldsOf(schema).map(({ name, required }) => [name, required])).toEqual([
    ['data', false],
    ['data[].id', true],
    ['data[].width', false],
  ]);
});

test('every call is listed, and on the page of its group, under an address of its own', () => {
  const home = renderToStaticMarkup(<DocsHome groups={groups} />);
  for (const group of groups) {
    const page = renderToStaticMarkup(<ApiGroup server={server} group={group} highlight={null} />);
    for (const { id, path } of group.operations) {
      expect(home).toContain(`<li id="${id}"`);
      expect(home).toContain(`href="/docs/api/${group.name.toLowerCase()}#${id}"`);
      expect(home).toContain(path);
      expect(page).toContain(`<section id="${id}"`);
      expect(page).toContain(path);
    }
  }
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
});

test('failures stand by themselves, not among the answers', () => {
  const { responses, failures } = operation('/users/login');
  expect(responses.map(([status]) => status)).toEqual(['200']);
  expect(failures).toEqual([['422', 'The code is wrong']]);
});

test('what is no document is refused', () => {
  expect(() => readDocument(null)).toThrow('not an object');
  expect(readDocument({})).toEqual({ server: null, groups: [] });
});
