import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BucketDetailWire } from '../../../server/contract/wire.ts';
import { findFfmpegBinaries } from '../../../server/runtime/ffmpeg-binaries.ts';
import { createBucket, signUp, uploadFile } from '../../support/client/api.ts';
import { deliverPhoto, deliverPrivateVideo } from '../../support/fixtures/main-job.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { builtProgram } from '../../support/server/program.ts';
import { type ServerProcess, startServerProcess } from '../../support/server/server-process.ts';

let folder: string;
const program = builtProgram ?? '';
let server: ServerProcess;
let bucket: BucketDetailWire;

describe.skipIf(!builtProgram)('the built file', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wharf-binary-'));
    // PATH contains only ffmpeg, and neither Node nor Bun.
    const path = join(folder, 'bin');
    await mkdir(path);
    for (const tool of Object.values(findFfmpegBinaries(process.env.FFMPEG_PATH || null) ?? {})) {
      await symlink(tool, join(path, tool.split('/').at(-1) ?? ''));
    }
    server = await startServerProcess({ env: { PATH: path } });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const native = () => join(server.dataDir, 'native');
  const libraries = async () =>
    (await readdir(native(), { recursive: true })).filter((name) => /\.node$|\.so\./.test(name));

  test('one file does the whole job: account, bucket, WebP, HLS, private files', async () => {
    bucket = await createBucket(server, (await signUp(server)).token);
    await deliverPhoto(server, bucket);
    await deliverPrivateVideo(server, bucket);
  });

  test('pages come with their scripts and styles, the guide with its texts', async () => {
    const page = await (await fetch(`${server.url}/login`)).text();
    expect(page).toContain('data-island="login"');
    const assets = [...new Set(page.match(/\/assets\/[\w.-]+/g))];
    expect(assets.some((path) => path.endsWith('.css'))).toBe(true);
    for (const path of assets) expect((await fetch(server.url + path)).status).toBe(200);
    const guide = await fetch(`${server.url}/docs/deployment`);
    expect(await guide.text()).toContain('TLS behind a proxy');
  });

  test('the clip of the landing page plays from inside it, in parts too', async () => {
    const player = await (await fetch(`${server.url}/embed/sample`)).text();
    const master = server.url + (/data-url="([^"]+)"/.exec(player)?.[1] ?? '');
    const text = await (await fetch(master)).text();
    expect(text).toStartWith('#EXTM3U');
    const playlist = new URL(/^\d+x\d+\/playlist\.m3u8$/m.exec(text)?.[0] ?? '', master);
    expect((await fetch(playlist)).headers.get('content-type')).toBe(
      'application/vnd.apple.mpegurl',
    );
    const segment = new URL('seg_00000.m4s', playlist);
    const bytes = await (await fetch(segment)).bytes();
    const part = await fetch(segment, { headers: { range: 'bytes=8-15' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 8-15/${bytes.length}`,
    ]);
    expect(await part.bytes()).toEqual(bytes.subarray(8, 16));
    expect((await fetch(new URL('about.json', master))).status).toBe(404);
  });

  test('its libraries lie in the data folder, for its user alone, and are mended when changed', async () => {
    const names = await libraries();
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect((await stat(join(native(), name))).mode & 0o777).toBe(0o400);
    }
    const changed = join(native(), names.find((name) => name.endsWith('.node')) ?? '');
    await chmod(changed, 0o600);
    await writeFile(changed, 'not a library');
    await mkdir(join(native(), 'sharp-of-yesterday'));
    await server.restart();
    const fields = { access: 'public', webp: 'yes' };
    const image = await uploadFile(server, bucket, 'image', fields, await photo(), 'quay.jpg');
    expect(image.status).toBe('success');
    expect((await stat(changed)).size).toBeGreaterThan(100_000);
    expect(await readdir(native())).toHaveLength(1);
  });

  test('the licences of what is inside lie beside it, those of its libraries too', async () => {
    const text = await Bun.file(`${program}-licenses.txt`).text();
    for (const name of ['bun', 'elysia', 'react', `@img/sharp-libvips-linux-${process.arch}`]) {
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
    expect(text).toContain('LGPL-3.0-or-later');
    expect(text).not.toMatch(/^(typescript|@playwright\/test) \d/m);
  });

  test('it says its version and its commands, and reads no settings from the folder it stands in', async () => {
    const output = (...args: string[]) =>
      Bun.spawnSync([program, ...args], { cwd: folder, env: {} }).stdout.toString();
    expect(output('version')).toMatch(/^wharf \d+\.\d+\.\d+\n$/);
    expect(output('--help')).toContain('Usage: wharf [command]');
    await writeFile(join(folder, '.env'), 'PORT=nonsense\n');
    await writeFile(join(folder, 'bunfig.toml'), 'preload = ["./missing.ts"]\n');
    const audit = Bun.spawnSync([program, 'fsck'], { cwd: folder, env: {} });
    expect(audit.stderr.toString()).toContain('No database found at');
  });
});
