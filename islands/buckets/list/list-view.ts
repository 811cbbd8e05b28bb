import { BUCKET_NAME_MAX } from '../../../server/contract/limits.ts';
import { type DayRange, readRange } from '../../ui/date/day-range.ts';

/** What the page's URL asks the list for. */
export type ListView = { name: string; range: DayRange | null };

/** What the call takes: all of them, empty when unset. */
export type BucketFilters = { name: string; from: string; to: string };

/** A search as it stands in the URL: what was typed, without what means nothing in a name. */
export const tidy = (text: string) =>
  text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, BUCKET_NAME_MAX)
    .trimEnd();

/** A search as the server takes it: all of these words. */
export const wordsOf = (text: string) => tidy(text).replaceAll(' ', '&');

/** Whatever can not be asked for counts as nothing. */
export const readListView = (search: URLSearchParams): ListView => ({
  name: tidy(search.get('name') ?? ''),
  range: readRange(search.get('from'), search.get('to')),
});

/** The page's parameters of a view; what is unset is not among them. */
export const paramsOf = ({ name, range }: ListView) => ({
  ...(name && { name }),
  ...(range && { from: range.from, to: range.to }),
});

export const filtersOf = ({ name, range }: ListView): BucketFilters => ({
  name: wordsOf(name),
  from: range?.from ?? '',
  to: range?.to ?? '',
});
