import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';

const SECRET_FIELDS = ['password', 'token', 'email_token'];
/** The literal of a resend is no secret. */
const PLACEHOLDER = 'nil';

const SECRET_PARAMETERS = ['jwt', 'token'];

/** Notes every password, code, key and token that pages of a context send, in URLs too. */
export function collectSecrets(context: BrowserContext, secrets: Set<string>) {
  context.on('request', (request) => {
    const bearer = /^Bearer (.+)$/.exec(request.headers().authorization ?? '')?.[1];
    if (bearer) secrets.add(bearer);
    const query = URL.parse(request.url())?.searchParams;
    for (const name of SECRET_PARAMETERS) {
      const value = query?.get(name);
      if (value) secrets.add(value);
    }
    const isJson = request.headers()['content-type'] === 'application/json';
    const body: unknown = isJson ? request.postDataJSON() : null;
    for (const [field, value] of Object.entries(body ?? {})) {
      if (SECRET_FIELDS.includes(field) && value !== PLACEHOLDER) secrets.add(String(value));
    }
  });
}

/** Every code and every link's token in the mails of an outbox. */
export async function mailedSecrets(outbox: string): Promise<string[]> {
  const names = (await readdir(outbox).catch(() => [])).filter((one) => one.endsWith('.eml'));
  const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')));
  return mails.flatMap((mail) => [
    ...[...mail.matchAll(/^Subject: (\d{6}) /gim)].map(([, code = '']) => code),
    ...[...mail.replaceAll('=\r\n', '').matchAll(/token=(?:3D)?([\w-]{20,})/g)].map(
      ([, token = '']) => token,
    ),
  ]);
}

/** Those that a text holds, each by itself: six digits inside a longer number are no code. */
export function secretsIn(text: string, secrets: Iterable<string>): string[] {
  const literal = (secret: string) => secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return [...secrets].filter((secret) =>
    new RegExp(`(?<![\\w.-])${literal(secret)}(?![\\w.-])`).test(text),
  );
}
