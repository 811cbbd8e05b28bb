import {
  parseUnfinished,
  putUnfinished,
  type Unfinished,
  withoutUnfinished,
} from './unfinished.ts';

const KEY = 'unfinished-uploads';

/** All that this browser remembers, of every bucket. */
export function readUnfinished(): Unfinished[] {
  try {
    return parseUnfinished(localStorage.getItem(KEY), Date.now());
  } catch {
    return [];
  }
}

export const remember = (entry: Unfinished) => write(putUnfinished(readUnfinished(), entry));

export const forget = (gone: Pick<Unfinished, 'bucketId' | 'clientId'>) =>
  write(withoutUnfinished(readUnfinished(), gone));

function write(list: Unfinished[]) {
  try {
    if (list.length === 0) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(list));
  } catch {
    // Full or forbidden storage: the upload goes on for as long as the page is open.
  }
}
