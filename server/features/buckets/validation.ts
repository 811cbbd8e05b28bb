import { BUCKET_NAME_MAX, SECOND, WEBHOOK_MAX } from '../../contract/limits.ts';
import { conflict, invalid } from '../../errors.ts';
import {
  AddressRefusedError,
  checkedAddresses,
  type Resolve,
} from '../../platform/outbound/ssrf-policy.ts';
import { isS3Name } from '../../platform/s3-names.ts';

/** Returns a bucket's name without the white space around it. Throws invalid. */
export function validateName(text: string): string {
  const name = text.trim();
  if (!name || name.length > BUCKET_NAME_MAX || /\p{Cc}/u.test(name)) {
    throw invalid(`The name must have 1 to ${BUCKET_NAME_MAX} characters, on one line.`);
  }
  return name;
}

/** Returns the name by which S3 clients know a bucket; null for none. Throws invalid. */
export function validateS3Name(name: string | null): string | null {
  if (name === null || isS3Name(name)) return name;
  throw invalid(
    'The S3 name must have 3 to 63 lower-case letters, digits, hyphens and dots, and begin and end with a letter or digit.',
  );
}

/** The failure of a bucket that gets the S3 name of another one. */
export const s3NameTaken = () =>
  conflict('Another bucket of the account has this S3 name already.');

/** Returns the URL that events are posted to, or empty text for none. Throws invalid. */
export function validateWebhook(text: string): string {
  const webhook = text.trim();
  if (!webhook) return '';
  const url = webhook.length <= WEBHOOK_MAX && URL.canParse(webhook) ? new URL(webhook) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw invalid('The webhook must be an http or https URL, or empty.');
  }
  if (url.username || url.password) throw invalid("The webhook URL can't contain a password.");
  return url.href;
}

/** A check that throws invalid for a URL that webhooks must not call. */
export type HostCheck = (url: URL) => Promise<void>;

const HOST_CHECK_TIMEOUT_MS = 3 * SECOND;
const HOW_TO_ALLOW = 'The operator of this server can allow it with WEBHOOK_ALLOW_PRIVATE=yes.';

/**
 * Returns a check that refuses what every delivery refuses: a host with an address that is not
 * public. A name that cannot be resolved in time passes, because every delivery checks it again.
 */
export function hostCheck(options: { allowPrivate: boolean; resolve: Resolve }): HostCheck {
  return async (url) => {
    const checked = checkedAddresses(url, options).catch((error) => {
      if (error instanceof AddressRefusedError)
        throw invalid(`This webhook URL isn't allowed. ${error.message} ${HOW_TO_ALLOW}`);
    });
    await Promise.race([checked, Bun.sleep(HOST_CHECK_TIMEOUT_MS)]);
  };
}
