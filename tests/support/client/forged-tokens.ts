import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { HOUR, MINUTE, SECOND } from '../../../server/contract/limits.ts';
import { NOBODY } from '../../../server/features/access/principal.ts';
import { Tokens } from '../../../server/features/tokens/service.ts';
import { deriveKeys } from '../../../server/platform/secrets/secrets.ts';
import type { TestServer } from '../server/server.ts';
import type { TestUser } from './api.ts';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Returns forged tokens for a live session, by what is wrong with each. The session is valid, so the
 * defect is the only reason to refuse a token. The `sound` tokens are made in the same way and prove it.
 */
export async function forgedTokens(server: TestServer, user: TestUser) {
  const key = deriveKeys(server.config.appSecret)('session-token');
  const [, payload = ''] = user.token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
    jti: string;
    sub: string;
  };
  const sign = (
    {
      issuer = 'wharf',
      audience = 'session',
      subject = claims.sub,
      expires = '1h' as string | number,
    },
    signedWith: Uint8Array = key,
  ) =>
    new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setJti(claims.jti)
      .setExpirationTime(expires)
      .sign(signedWith);
  /** Signs a token by hand, because the library refuses keys that are too short for the algorithm. */
  const withHash = (alg: string, hash: string) => {
    const signed = `${encode({ alg })}.${payload}`;
    return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
  };
  const [head = '', , signature = ''] = user.token.split('.');

  return {
    sound: [await sign({}), withHash('HS256', 'sha256')],
    forged: {
      'an expired one': await sign({ expires: Math.floor(Date.now() / 1000) - 1 }),
      'of another issuer': await sign({ issuer: 'other' }),
      'for another audience': await sign({ audience: 'read' }),
      'signed with another key': await sign({}, new Uint8Array(32)),
      'of the right key with HS512': withHash('HS512', 'sha512'),
      'of the right key with HS384': withHash('HS384', 'sha384'),
      'with no algorithm': `${encode({ alg: 'none' })}.${payload}.`,
      'with no algorithm, in capitals': `${encode({ alg: 'NONE' })}.${payload}.${signature}`,
      'with the header of another algorithm': `${encode({ alg: 'RS256' })}.${payload}.${signature}`,
      'with other claims': `${head}.${encode({ ...claims, sub: 'x' })}.${signature}`,
      'without its signature': `${head}.${payload}.`,
      'that is none': 'x',
    },
  };
}

/** Returns a read token of a bucket, made an hour ago, that expired a minute ago. */
export async function expiredToken({ config, db }: TestServer, bucketId: string): Promise<string> {
  const bucket = await db
    .selectFrom('buckets')
    .select(['id', 'key_version'])
    .where('id', '=', bucketId)
    .executeTakeFirstOrThrow();
  const keys = deriveKeys(config.appSecret).all('bucket-token');
  const tokens = new Tokens({ keys, clock: () => Date.now() - HOUR });
  const expiresAt = Math.floor((Date.now() - MINUTE) / SECOND);
  const minter = { bucket: { ...bucket, key_ids: null, token_ids: null }, principal: NOBODY };
  return tokens.mint(minter, { scope: 'read', expiresAt });
}
