import { type Keys, seal, unseal } from '../secrets/secrets.ts';

/** Where a webhook goes, and what signs it: two secrets in the day after one was replaced. */
export type Target = { url: string; secrets: string[] };

/** A delivery outlives its bucket, so it carries its target; sealed, as that holds secrets. */
export const sealTarget = (keys: Keys, target: Target, deliveryId: string): string =>
  seal(keys('webhook-target-seal'), JSON.stringify(target), deliveryId);

export const unsealTarget = (keys: Keys, sealed: string, deliveryId: string): Target =>
  JSON.parse(unseal(keys('webhook-target-seal'), sealed, deliveryId));
