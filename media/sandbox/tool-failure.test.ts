import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { permanentFailure } from '../media-failure.ts';
import { makeClip, scratch } from '../testing/clips.ts';
import { toMediaFailure } from '../worker/to-media-failure.ts';
import { runTool, ToolFailed } from './process.ts';
import { videoToolFailure } from './tool-failure.ts';

const folder = scratch();
afterAll(folder.remove);

type End = { code?: number; signal?: string; late?: boolean; stderr?: string };
const failed = ({ code, signal, late = false, stderr = '' }: End) =>
  videoToolFailure(
    new ToolFailed('ffmpeg', code ?? null, signal ?? null, late, stderr),
    'Unreadable.',
  );

test.each<[string, End, string, boolean]>([
  ['an unreadable file', { code: 1, stderr: 'Invalid data' }, 'Unreadable.', true],
  ['a crash of the decoder', { signal: 'SIGSEGV' }, 'Unreadable.', true],
  [
    'the time limit',
    { signal: 'SIGKILL', late: true },
    'The video takes too long to process.',
    true,
  ],
  ['a kill from outside', { signal: 'SIGKILL' }, 'Processing was interrupted.', false],
  [
    'a full disk',
    { code: 1, stderr: 'x: No space left on device' },
    "The server's disk is full.",
    false,
  ],
  ['the file limit', { signal: 'SIGXFSZ' }, 'The video becomes too large when processed.', true],
  [
    'the memory limit',
    { code: 1, stderr: 'Cannot allocate memory' },
    'The video needs more memory than there is for it.',
    true,
  ],
])('%s', (_, end, reason, permanent) => {
  expect(failed(end)).toMatchObject({ reason, permanent });
});

test('a real ffmpeg without enough memory is understood', async () => {
  const clip = await makeClip(join(folder.path, 'clip.mp4'), { size: '1920x1080', seconds: 1 });
  const run = runTool({
    command: ['ffmpeg', '-v', 'error', '-i', clip, '-c:v', 'libx264', '-f', 'null', '-'],
    cwd: folder.path,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    limits: { cpuSeconds: 60, memoryBytes: 450 * 2 ** 20, fileBytes: 0 },
  });
  const error = await run.catch((cause) => cause);
  if (!(error instanceof ToolFailed)) throw new Error('It had enough memory.');
  expect(videoToolFailure(error, 'Unreadable.').reason).toContain('memory');
});

test('what is not about the file is worth another try', () => {
  expect(toMediaFailure(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toMatchObject({
    reason: "The server's disk is full.",
    permanent: false,
  });
  expect(toMediaFailure(new TypeError('a bug'))).toMatchObject({ permanent: false });
  expect(toMediaFailure('thrown text')).toMatchObject({ permanent: false });
});

test('an answer for the user shows no paths of ours', () => {
  const { reason } = toMediaFailure(new Error('/var/lib/wharf/secret'));
  expect(reason).not.toContain('/');
});

test('a failure that explains itself stays as it is', () => {
  const failure = permanentFailure('The file holds no video.');
  expect(toMediaFailure(failure)).toBe(failure);
});
