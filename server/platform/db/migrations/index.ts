import type { Migration } from 'kysely/migration';
import * as house from './0001_house.ts';

/** Append only: a migration that has been released is never changed, moved or removed. */
export const migrations: Record<string, Migration> = {
  '0001_house': house,
};
