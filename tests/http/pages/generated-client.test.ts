import { expect, test } from 'bun:test';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateSource } from 'oazapfts';
import { signUp } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { groupServer } from '../../support/server/group-server.ts';

/*
 * Generates a TypeScript client from the OpenAPI document, and uses it as a customer would.
 */

const ROOT = join(import.meta.dir, '../../..');
const server = await groupServer();
const user = await signUp(server);

const JOB = `
import * as wharf from './wharf.ts';

/** Stores an image, finds it and deletes it. A wrong type anywhere here fails the compiler. */
export async function run(baseUrl: string, token: string, image: Blob) {
  const options = { baseUrl, headers: { authorization: \`Bearer \${token}\` } };
  const created = await wharf.createBucket({ name: 'Generated' }, options);
  if (created.status !== 201) throw new Error(created.data);
  const bucket: wharf.Bucket = created.data;
  const uploaded = await wharf.uploadImage(bucket.id, { access: 'private', file: image }, options);
  if (uploaded.status !== 201) throw new Error(uploaded.data);
  const file: wharf.StoredFile = uploaded.data;
  const size: number = file.size;
  const listed = await wharf.listFiles(bucket.id, { limit: 10, fileType: 'image' }, options);
  if (listed.status !== 200) throw new Error(listed.data);
  const names: string[] = listed.data.data.map((one) => one.name);
  const minted = await wharf.createToken(bucket.id, 0, 'read', { file_id: file.id }, options);
  if (minted.status !== 200) throw new Error(minted.data);
  const got = await wharf.getFile(bucket.id, file.id, options);
  if (got.status !== 200) throw new Error(got.data);
  const deleted = await wharf.deleteFile(bucket.id, file.id, options);
  const gone = await wharf.getFile(bucket.id, file.id, options);
  const text: string | null = gone.status === 404 ? gone.data : null;
  return { size, names, jwt: minted.data.jwt, access: got.data.access, deleted: deleted.status, text };
}
`;

/** Types of other languages that generated clients use or that every file sees, here of Java and Swift. */
const FOREIGN_TYPES = [
  'Date',
  'Error',
  'Exception',
  'File',
  'List',
  'Map',
  'Module',
  'Object',
].concat(['Process', 'Record', 'Result', 'Runtime', 'Set', 'String', 'System', 'Thread', 'Void']);

/** Compiles files strictly, as a page of a customer is, and returns what the compiler says. */
async function compile(folder: string, file: string) {
  const options =
    '--noEmit --strict --target esnext --module preserve --allowImportingTsExtensions';
  const { exitCode, stdout } =
    await Bun.$`tsc ${options.split(' ')} --lib esnext,dom ${join(folder, file)}`
      .cwd(folder)
      .nothrow()
      .quiet();
  return [stdout.toString(), exitCode];
}

test('no schema has the name of a type that a client already has', async () => {
  const { components } = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as {
    components: { schemas: Record<string, unknown> };
  };
  const names = Object.keys(components.schemas);
  const folder = await mkdtemp(join(tmpdir(), 'wharf-names-'));
  try {
    // Each directive is an error where the line below it is none.
    const lines = names.map(
      (name, index) => `// @ts-expect-error ${name}\nexport type Global${index} = ${name};`,
    );
    await Bun.write(join(folder, 'names.ts'), lines.join('\n'));
    expect(await compile(folder, 'names.ts')).toEqual(['', 0]);
    expect(names.filter((name) => FOREIGN_TYPES.includes(name))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a generated client creates a bucket, and uploads, lists, gets and deletes an image', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'wharf-client-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const document = join(folder, 'openapi.json');
    await Bun.write(document, await (await fetch(`${server.url}/docs/openapi.json`)).text());
    await Bun.write(join(folder, 'wharf.ts'), await generateSource(document));
    await Bun.write(join(folder, 'job.ts'), JOB);

    expect(await compile(folder, 'job.ts')).toEqual(['', 0]);

    const { run } = await import(join(folder, 'job.ts'));
    const image = new File([new Uint8Array(await photo())], 'harbour.jpg', { type: 'image/jpeg' });
    expect(await run(server.url, user.token, image)).toEqual({
      size: image.size,
      names: ['harbour.jpg'],
      jwt: expect.stringMatching(/^ey/),
      access: 'private',
      deleted: 204,
      text: 'File not found.',
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
