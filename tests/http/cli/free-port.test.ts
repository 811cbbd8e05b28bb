import { expect, test } from 'bun:test';
import { startServerProcess } from '../../support/server/server-process.ts';

test('a server with PORT=0 prints the address at which it answers', async () => {
  const server = await startServerProcess({ isQuick: true, env: { PORT: '0', APP_URL: '' } });
  try {
    const [, url = ''] =
      /is running at (http:\/\/127\.0\.0\.1:[1-9]\d*)/.exec(await server.log()) ?? [];
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
    expect(await (await fetch(url)).text()).toContain(`${url}/`);
  } finally {
    await server.stop();
  }
});
