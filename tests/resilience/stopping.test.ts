import { expect, test } from 'bun:test';
import { until } from '../support/client/wait.ts';
import { startServerProcess } from '../support/server/server-process.ts';

test('a mail server that takes the connection and is silent does not hold up the end', async () => {
  let requestCount = 0;
  const silent = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open() {
        requestCount += 1;
      },
      data() {},
    },
  });
  const server = await startServerProcess({
    env: { SMTP_URL: `smtp://127.0.0.1:${silent.port}` },
  });
  const body = { email: 'ada@example.com', password: 'a harbour at work' };
  await fetch(`${server.url}/users/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await until(async () => requestCount > 0);
  await server.restart('SIGTERM');
  expect(await server.log()).not.toContain('stopped before all work was finished');
  await server.stop();
  silent.stop(true);
});
