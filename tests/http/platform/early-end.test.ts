import { expect, test } from 'bun:test';
import { startServerProcess } from '../../support/server/server-process.ts';

test('a server that is ended as soon as it says that all is well ends in order', async () => {
  for (let round = 0; round < 2; round += 1) {
    const server = await startServerProcess();
    // It rejects when the server did not exit with 0.
    await expect(server.stop()).resolves.toBeUndefined();
  }
});
