import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Retry } from '../server/contract/failure.ts';
import { upstreamUnavailable } from '../server/errors.ts';
import { permanentFailure, toMediaFailure, toolFailure } from './media-failure.ts';
import { runTool, ToolFailedError } from './sandbox/process.ts';
import { makeClip, scratch } from './testing/clips.ts';

const folder = scratch();
afterAll(folder.remove);

type End = { code?: number; signal?: string; isTimedOut?: boolean; stderr?: string };
const failed = ({ code, signal, isTimedOut = false, stderr = '' }: End) =>
  toolFailure(
    new ToolFailedError('ffmpeg', code ?? null, signal ?? null, isTimedOut, stderr),
    'video',
    'Unreadable.',
  );

test.each<[string, End, string, Retry]>([
  ['an unreadable file', { code: 1, stderr: 'Invalid data' }, 'Unreadable.', 'never'],
  ['a crash of the decoder', { signal: 'SIGSEGV' }, 'Unreadable.', 'never'],
  [
    'the time limit',
    { signal: 'SIGKILL', isTimedOut: true },
    'The video took too long to process.',
    'never',
  ],
  ['a kill from outside', { signal: 'SIGKILL' }, 'Processing was interrupted.', 'limited'],
  ['an end that was asked for', { signal: 'SIGINT' }, 'Processing was interrupted.', 'limited'],
  ['an end that ffmpeg was asked for', { code: 255 }, 'Processing was interrupted.', 'limited'],
  [
    'an ffmpeg without an encoder',
    { code: 8, stderr: "Unknown encoder 'libx264'" },
    "This server can't process videos. Ask its admin for help.",
    'limited',
  ],
  [
    'a tool that is missing',
    { code: 127, stderr: "ffmpeg can't be started (error 2)." },
    "Videos can't be processed right now.",
    'later',
  ],
  [
    'a full disk',
    { code: 1, stderr: 'x: No space left on device' },
    "The server's disk is full.",
    'limited',
  ],
  ['the file limit', { signal: 'SIGXFSZ' }, 'The processed video would be too large.', 'never'],
  [
    'the memory limit',
    { code: 1, stderr: 'Cannot allocate memory' },
    'The video needs more memory than is available.',
    'never',
  ],
])('%s', (_, end, message, retry) => {
  expect(failed(end)).toMatchObject({ message, retry });
});

test('a real ffmpeg without enough memory is understood', async () => {
  const clip = await makeClip(join(folder.path, 'clip.mp4'), { size: '1920x1080', seconds: 1 });
  const run = runTool({
    command: ['ffmpeg', '-v', 'error', '-i', clip, '-c:v', 'libx264', '-f', 'null', '-'],
    cwd: folder.path,
    sources: [clip],
    timeoutMs: 540_000,
    signal: new AbortController().signal,
    limits: { cpuSeconds: 60, memoryBytes: 450 * 2 ** 20, fileBytes: 0 },
  });
  const error = await run.catch((cause) => cause);
  if (!(error instanceof ToolFailedError)) throw new Error('It had enough memory.');
  expect(toolFailure(error, 'video', 'Unreadable.').message).toContain('memory');
});

test('what is not about the file is worth another try', () => {
  expect(toMediaFailure(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toMatchObject({
    message: "The server's disk is full.",
    retry: 'limited',
  });
  expect(toMediaFailure(new TypeError('a bug'))).toMatchObject({ retry: 'limited' });
  expect(toMediaFailure('thrown text')).toMatchObject({ retry: 'limited' });
});

test('a storage that is away costs no attempt', () => {
  const away = upstreamUnavailable(new Error('ECONNREFUSED'), 'It is away.', 1000);
  expect(toMediaFailure(away)).toMatchObject({ retry: 'later' });
});

test('an answer for the user shows no paths of ours', () => {
  const { message } = toMediaFailure(new Error('/var/lib/wharf/secret'));
  expect(message).not.toContain('/');
});

test('a failure that explains itself stays as it is', () => {
  const failure = permanentFailure('The file contains no video.');
  expect(toMediaFailure(failure)).toBe(failure);
});
