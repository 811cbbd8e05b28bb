import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';

const SECRET_FIELDS = ['password', 'token', 'email_token'];
/** The literal that a resend sends as password is no secret. */
const PLACEHOLDER = 'nil';

const SECRET_PARAMETERS = ['jwt', 'token'];

/** Collects every password, code, key and token that the pages of a context send, also in URLs. */
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

/** Returns the codes and the tokens of links in the mails of an outbox. */
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

/** Returns the secrets that a text contains as whole words: digits in a longer number are no code. */
export function secretsIn(text: string, secrets: Iterable<string>): string[] {
  const literal = (secret: string) => secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return [...secrets].filter((secret) =>
    new RegExp(`(?<![\\w.-])${literal(secret)}(?![\\w.-])`).test(text),
  );
}
