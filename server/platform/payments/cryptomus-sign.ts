import { createHash, timingSafeEqual } from 'node:crypto';

/** Cryptomus' signature of a text: MD5 of its Base64 with the key behind it. */
export function cryptomusSign(text: string, key: string): string {
  return createHash('md5')
    .update(Buffer.from(text).toString('base64') + key)
    .digest('hex');
}

/** How PHP, which signs there, writes a slash. */
const withSlashes = (json: string) => json.replaceAll('/', '\\/');

/**
 * The callback's fields where its `sign` is that of all the others; else null. What was signed is
 * not what was sent: the sender's JSON, without `sign`, written once more. The three spellings
 * that this may have had say the same, so that any of them will do.
 */
export function verifiedCallback(body: string, key: string): Record<string, unknown> | null {
  let fields: unknown;
  try {
    fields = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return null;
  const { sign, ...others } = fields as Record<string, unknown>;
  if (typeof sign !== 'string' || !/^[0-9a-f]{32}$/.test(sign)) return null;
  const json = JSON.stringify(others);
  const asSent = body.trim().replace(new RegExp(`,\\s*"sign"\\s*:\\s*"${sign}"(?=\\s*}$)`), '');
  const isSigned = [asSent, withSlashes(json), json].some((text) =>
    timingSafeEqual(Buffer.from(cryptomusSign(text, key)), Buffer.from(sign)),
  );
  return isSigned ? others : null;
}
