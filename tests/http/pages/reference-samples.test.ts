import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANGUAGES, samplesOf } from '../../../server/features/docs/code-samples.ts';
import type { Operation } from '../../../server/features/docs/openapi.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-reference-'));
await Bun.write(join(folder, 'FILE'), 'bytes');

/** Responds with what it has received. */
const echo = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const type = request.headers.get('content-type') ?? '';
    const form = type.startsWith('multipart/') ? await request.formData() : null;
    const fields = await Promise.all(
      [...(form ?? [])].map(async ([name, value]) => [
        name,
        typeof value === 'string' ? value : `${value.name}: ${await value.text()}`,
      ]),
    );
    return Response.json({
      method: request.method,
      path: new URL(request.url).pathname,
      bearer: request.headers.get('authorization'),
      offset: request.headers.get('upload-offset'),
      body: form ? Object.fromEntries(fields) : await request.text(),
    });
  },
});
afterAll(async () => {
  await echo.stop(true);
  await rm(folder, { recursive: true });
});

/** What runs each language, and what must be there for it. PHP may be missing. */
const RUNNERS: Record<string, { run: string[]; probe: string[] }> = {
  curl: { run: ['bash', 'sample.curl'], probe: ['curl', '--version'] },
  js: { run: ['node', 'sample.js'], probe: ['node', '--version'] },
  python: { run: ['python3', 'sample.python'], probe: ['python3', '-c', 'import requests'] },
  php: { run: ['php', 'sample.php'], probe: ['php', '-r', 'curl_version();'] },
};
const isInstalled = ([program = '', ...args]: string[]) =>
  Bun.which(program) !== null && Bun.spawnSync([program, ...args]).success;

const call = (change: Partial<Operation>): Operation => ({
  id: 'id',
  method: 'POST',
  path: '/files',
  summary: '',
  description: '',
  parameters: [],
  body: null,
  responses: [],
  failures: [],
  security: [],
  ...change,
});
const binary = { type: 'string', format: 'binary' };
const CALLS: [string, Operation, object][] = [
  [
    'without a body',
    call({ method: 'DELETE', security: [{ name: 'session', description: '' }] }),
    { method: 'DELETE', bearer: 'Bearer SESSION', body: '' },
  ],
  [
    'with JSON',
    call({
      body: {
        type: 'application/json',
        schema: {},
        example: { name: 'Ana\'s "b\\"', on: true, no: null },
      },
    }),
    { bearer: null, body: { name: 'Ana\'s "b\\"', on: true, no: null } },
  ],
  [
    'with a form',
    call({
      security: [{ name: 'apiKey', description: '' }],
      body: {
        type: 'multipart/form-data',
        schema: { type: 'object', properties: { access: { enum: ['public'] }, file: binary } },
        example: undefined,
      },
    }),
    { bearer: 'Bearer API_KEY', body: { access: 'public', file: 'FILE: bytes' } },
  ],
  [
    'with a file',
    call({
      method: 'PATCH',
      parameters: [
        { name: 'Upload-Offset', in: 'header', required: true, schema: { type: 'integer' } },
      ],
      body: { type: 'application/offset+octet-stream', schema: binary, example: undefined },
    }),
    { method: 'PATCH', offset: '0', body: 'bytes' },
  ],
];

describe.each(LANGUAGES)('$label', ({ language }) => {
  const runner = RUNNERS[language];
  test.skipIf(!runner || !isInstalled(runner.probe)).each(CALLS)(
    'a call %s sends what the reference says',
    async (_, operation, expected) => {
      const sample = samplesOf(operation, `http://127.0.0.1:${echo.port}`).find(
        (one) => one.language === language,
      );
      await Bun.write(join(folder, 'package.json'), '{"type": "module"}');
      await Bun.write(join(folder, `sample.${language}`), sample?.code ?? '');
      const child = Bun.spawn(runner?.run ?? [], {
        cwd: folder,
        env: { PATH: process.env.PATH, SESSION: 'SESSION', API_KEY: 'API_KEY' },
        stderr: 'pipe',
      });
      const output = await new Response(child.stdout).text();
      const complaint = await new Response(child.stderr).text();
      expect(await child.exited, complaint).toBe(0);
      const received = JSON.parse(output.slice(output.indexOf('{')));
      const body = /^\{/.test(String(received.body)) ? JSON.parse(received.body) : received.body;
      expect({ ...received, body }).toMatchObject({ path: '/files', ...expected });
    },
  );
});
