import type { readConfig } from '../../config/config.ts';
import {
  isPublicAddress,
  type Resolve,
  systemResolve,
} from '../../platform/outbound/ssrf-policy.ts';
import { type Finding, fine, problem } from './finding.ts';

type Settings = Pick<ReturnType<typeof readConfig>, 'database' | 'mail'>;
type Connection = { to: string; url: string; requiresTls: boolean; change: string };

/** Whether mails are only sent through TLS. Otherwise somebody in between can hide STARTTLS. */
export function mailRequiresTls(text: string): boolean {
  const { protocol, searchParams } = new URL(text);
  const isRequired = protocol === 'smtps:' || searchParams.get('requireTLS') === 'true';
  return isRequired && searchParams.get('tls.rejectUnauthorized') !== 'false';
}

/** Whether the database is only used through TLS. The configuration has normalized the URL. */
export const databaseRequiresTls = (text: string): boolean =>
  new URL(text).searchParams.get('sslmode') === 'verify-full';

/**
 * Checks that connections over the internet are encrypted, with a check of the certificate. Those to
 * this machine and to a private network may do without.
 */
export async function checkEncryption(
  config: Settings,
  resolve: Resolve = systemResolve,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { to, url, requiresTls, change } of connectionsOf(config)) {
    if (requiresTls) findings.push(fine('tls', `the connection to ${to} requires TLS`));
    else if (await isPublicHost(new URL(url).hostname, resolve)) {
      findings.push(
        problem(
          'tls',
          `the connection to ${to} crosses the internet and doesn't require TLS`,
          change,
        ),
      );
    }
  }
  return findings;
}

function connectionsOf({ database, mail }: Settings): Connection[] {
  const connections: Connection[] = [];
  if (database.kind === 'postgres') {
    const change = 'Add sslmode=verify-full to DATABASE_URL, and sslrootcert for a CA of your own.';
    for (const url of new Set([database.url, database.sessionUrl])) {
      connections.push({ to: 'PostgreSQL', url, requiresTls: databaseRequiresTls(url), change });
    }
  }
  if (mail.kind === 'smtp') {
    const { url } = mail;
    const change = 'Use smtps:// in SMTP_URL, or add requireTLS=true to it.';
    connections.push({ to: 'the mail server', url, requiresTls: mailRequiresTls(url), change });
  }
  return connections;
}

/** A host without an address is reported by the check that connects to it. */
async function isPublicHost(hostname: string, resolve: Resolve): Promise<boolean> {
  const addresses = await resolve(hostname.replace(/^\[|\]$/g, '')).catch(() => []);
  return addresses.some(isPublicAddress);
}
