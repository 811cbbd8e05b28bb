import { expect } from 'bun:test';
import { form, type TestServer, type TestUser } from '../server/server.ts';
import { readCode } from './outbox.ts';

/** The code that a logged-in user asks for and is mailed, at another address where one is given. */
export async function mailedCode(
  server: TestServer,
  user: TestUser,
  subject: string,
  email?: string,
): Promise<number> {
  const asked = Date.now();
  const answer = await user.client.fetch('/users/email', {
    method: 'POST',
    headers: user.authorization,
    body: form({ subject, ...(email && { email }) }),
  });
  expect(answer.status).toBe(204);
  return readCode(server.outbox, email ?? user.email, asked);
}
