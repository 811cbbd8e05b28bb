import { expect, test } from 'bun:test';
import { startSeededServer } from './admin.ts';

test("a server with the rows of a large house becomes healthy again, and its admin's pages answer", async () => {
  const size = { users: 10, buckets: 20, files: 200, days: 3, logs: 50 };
  const { server, token, middle } = await startSeededServer(size);
  try {
    const path = `/admin/buckets?cursor=${middle}`;
    const response = await fetch(server.url + path, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
  } finally {
    await server.stop();
  }
});
