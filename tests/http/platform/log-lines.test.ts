import { expect, test } from 'bun:test';
import { createBucket, sendFile, signUp } from '../../support/client/api.ts';
import { until } from '../../support/client/wait.ts';
import { clip } from '../../support/fixtures/make-media.ts';
import { runCommand } from '../../support/server/command.ts';
import { startServerProcess } from '../../support/server/server-process.ts';

type Line = { level: string; time: string; msg: string };
const linesOf = (log: string) =>
  log
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));

test('every line of the log is JSON, also of the start, of mails and of failed jobs', async () => {
  const server = await startServerProcess({
    isQuick: true,
    env: { APP_URL: 'https://a.example.com' },
  });
  const user = await signUp(server);
  const bucket = await createBucket(server, user.token);
  const video = Buffer.from(await clip({ seconds: 2 }));
  const data = video.indexOf('mdat');
  video.fill(0xa5, data + 4, data + 4 + Math.floor((video.length - data) / 2));
  await sendFile(server, bucket, 'video', {}, video, 'a.mp4');
  await fetch(`${server.url}/nothing`);
  // On a slow machine it fails as a job of the background, whose kind is another.
  await until(async () => (await server.log()).includes('job failed'));
  await server.restart('SIGTERM');
  const lines = linesOf(await server.log());
  await server.stop();

  const texts = lines.map(({ level, msg }) => `${level} ${msg}`).join('\n');
  for (const line of lines) {
    expect(line).toMatchObject({
      level: expect.stringMatching(/^(info|warn|error)$/),
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      msg: expect.any(String),
    });
  }
  expect(texts).toContain('info Wharf ');
  expect(texts).toContain('info SMTP_URL is not set; email written to ');
  expect(texts).toContain('warn TRUST_PROXY is not set');
  expect(texts).toContain('info stopping');
  expect(texts).toContain('error job failed');
});

test('a server that can not start says so in lines of the log', async () => {
  const { status, stdout, stderr } = await runCommand(['serve'], { PORT: 'x', LOG_LEVEL: 'y' });
  expect([status, stdout]).toEqual([1, '']);
  expect(linesOf(stderr).map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    "error PORT must be a whole number from 0 to 65535, not 'x'.",
    "error LOG_LEVEL must be one of debug, info, warn, error, silent, not 'y'.",
  ]);
});

test('a media process that can not start says so in a line of the log', async () => {
  const { status, stderr } = await runCommand(['media-process'], {});
  expect(status).toBe(1);
  expect(linesOf(stderr)).toEqual([
    {
      level: 'error',
      time: expect.any(String) as never,
      msg: 'The media process can only be started by the server.',
    },
  ]);
});
