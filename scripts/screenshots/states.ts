import { accountStates } from './account-states.ts';
import { adminStates } from './admin-states.ts';
import { barStates } from './bar-states.ts';
import { bucketStates } from './bucket-states.ts';
import { fileStates } from './file-states.ts';
import type { Ids, Scene } from './scene.ts';
import { uploadStates } from './upload-states.ts';

/** What opens on the pages, and what they look like when something happens. */
export const states = (ids: Ids): Scene[] => [
  ...barStates(ids),
  ...bucketStates(ids),
  ...fileStates(ids),
  ...uploadStates(ids),
  ...accountStates(),
  ...adminStates(),
];
