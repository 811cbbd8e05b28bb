import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileWire } from '../../../server/contract/wire.ts';
import { createToken, uploadFile } from '../../support/client/api.ts';
import { photo } from '../../support/fixtures/make-media.ts';
import { bucket, server, secretVideo as video } from './delivered.ts';

const folder = await mkdtemp(join(tmpdir(), 'wharf-clients-'));
afterAll(() => rm(folder, { recursive: true }));
let picture: FileWire;
let jwt: string;

beforeAll(async () => {
  const large = await photo({ width: 1600, height: 1200, blur: 0.3 });
  picture = await uploadFile(
    server,
    bucket,
    'image',
    { access: 'private' },
    large,
    'Grüße "1".jpg',
  );
  jwt = await createToken(server, bucket);
});

async function run(...command: string[]) {
  const child = Bun.spawn(command, { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  const [out, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exit: await child.exited, out, complaints };
}

const secret = ({ url }: FileWire) => `${url}?jwt=${jwt}`;

describe.skipIf(!Bun.which('curl'))('curl', () => {
  const downloadAll = async () => Buffer.from(await (await fetch(secret(picture))).arrayBuffer());

  test('goes on where a transfer was cut off', async () => {
    const bytes = await downloadAll();
    const cut = await run('sh', '-c', 'curl -sS "$0" | head -c 300000 > cut.jpg', secret(picture));
    expect(cut.complaints).toContain('curl: (23)');
    expect(bytes.length).toBeGreaterThan(800_000);
    const rest = await run('curl', '-sS', '-C', '-', '-o', 'cut.jpg', secret(picture));
    expect([rest.exit, rest.complaints]).toEqual([0, '']);
    expect(Buffer.from(await Bun.file(join(folder, 'cut.jpg')).bytes()).equals(bytes)).toBe(true);
  });

  test('does not fetch a file again that has not changed', async () => {
    const fetchOnce = () =>
      run(
        'curl',
        '-sS',
        '--etag-compare',
        'tag',
        '--etag-save',
        'tag',
        '-o',
        'tagged.jpg',
        '-w',
        '%{http_code} %{size_download}',
        secret(picture),
      );
    expect((await fetchOnce()).out).toBe(`200 ${(await downloadAll()).length}`);
    expect((await fetchOnce()).out).toBe('304 0');
    expect(Bun.file(join(folder, 'tagged.jpg')).size).toBe((await downloadAll()).length);
  });

  test('saves a file by the name its user gave it', async () => {
    const { exit } = await run(
      'curl',
      '-sSOJ',
      '--output-dir',
      folder,
      `${secret(picture)}&download`,
    );
    expect(exit).toBe(0);
    expect(await readdir(folder)).toContain('Gr__e _1_.jpg');
  });

  test('unpacks a playlist to the text it is', async () => {
    const [uncompressed, packed] = [
      await run('curl', '-sS', secret(video)),
      await run('curl', '-sS', '--compressed', secret(video)),
    ];
    expect(packed.out).toBe(uncompressed.out);
    expect(uncompressed.out).toStartWith('#EXTM3U');
  });
});

describe('of a private playlist', () => {
  test('ffprobe tells sizes, sound and length', async () => {
    const about = ['-show_entries', 'stream=codec_type,width:format=duration', '-of', 'json'];
    const { out, complaints } = await run('ffprobe', '-v', 'error', ...about, secret(video));
    expect(complaints).toBe('');
    const { streams, format } = JSON.parse(out);
    const widths = streams.map(({ width }: { width?: number }) => width).filter(Boolean);
    expect([...new Set(widths)].sort()).toEqual([160, 320]);
    expect(streams.some((one: { codec_type: string }) => one.codec_type === 'audio')).toBe(true);
    expect(Number(format.duration)).toBeCloseTo(7, 0);
  });

  // It plays from the start, because ffmpeg 5 complains after a seek in any HLS of fragmented MP4, its own
  // included.
  test('ffmpeg decodes all without a complaint', async () => {
    const { exit, complaints } = await run(
      'ffmpeg',
      '-v',
      'error',
      '-i',
      secret(video),
      '-f',
      'null',
      '-',
    );
    expect([exit, complaints]).toEqual([0, '']);
  });

  test('ffmpeg reads nothing without the token', async () => {
    const { exit, complaints } = await run(
      'ffmpeg',
      '-v',
      'error',
      '-i',
      video.url ?? '',
      '-f',
      'null',
      '-',
    );
    expect(exit).not.toBe(0);
    expect(complaints).toContain('401');
  });
});
