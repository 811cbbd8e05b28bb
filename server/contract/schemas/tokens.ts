import { t } from 'elysia';
import { oneOf } from './one-of.ts';

export const MintParams = t.Object({
  bucketID: t.String(),
  expires: t.Integer({
    minimum: 0,
    error: 'The expiry must be whole epoch seconds, or 0 for none.',
  }),
  scope: oneOf(['read', 'write'], { error: 'The scope must be read or write.' }),
});
export const MintBody = t.Optional(t.Object({ fileId: t.Optional(t.String()) }));
export const TokenAnswer = t.Object({ jwt: t.String() });
