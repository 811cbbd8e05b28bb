import { Webhook } from 'standardwebhooks';

/** The headers that let a receiver verify `body`, signed with each of these secrets. */
export function signedHeaders(
  message: { id: string; body: string },
  secrets: string[],
  now: number,
): Record<string, string> {
  const at = new Date(now);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(message.id, at, message.body))
      .join(' '),
  };
}
