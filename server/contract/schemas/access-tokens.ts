import { t } from 'elysia';
import { described, named, nullableText, oneOf } from './fields.ts';

export const AccessTokenInfoResponse = named(
  'AccessTokenInfo',
  t.Object({
    id: t.String(),
    name: t.String(),
    scope: oneOf(['read', 'write']),
    file_id: described('The only file that the token opens; null for all.', nullableText),
    prefix: described('The folder whose files the token opens; null for all.', nullableText),
    api_key: described(
      'The name of the API key that created the token and is deleted with it; null for the primary key and the owner.',
      nullableText,
    ),
    expires: described(
      'When the token expires, in ISO 8601 and UTC; null for never.',
      nullableText,
    ),
    last_used: described(
      'When a request last used the token, in ISO 8601 and UTC, to the minute; null for never.',
      nullableText,
    ),
    date: described('When the token was created, in ISO 8601 and UTC.', t.String()),
  }),
);

export const AccessTokenListResponse = named(
  'AccessTokenList',
  t.Object({ data: t.Array(AccessTokenInfoResponse) }),
);
