import type { Access, FileType } from '../../../server/contract/wire.ts';
import { type DayRange, readRange } from '../../ui/date/day-range.ts';
import { ACCESS, TYPES } from '../labels.ts';

/** What the page's URL narrows the files to. */
export type FileView = {
  range: DayRange | null;
  fileType: FileType | undefined;
  access: Access | undefined;
};

const oneOf = <Value extends string>(values: Record<Value, string>, text: string | null) =>
  text !== null && Object.hasOwn(values, text) ? (text as Value) : undefined;

/** Whatever is no choice counts as none. */
export const readView = (search: URLSearchParams): FileView => ({
  range: readRange(search.get('from'), search.get('to')),
  fileType: oneOf(TYPES, search.get('file_type')),
  access: oneOf(ACCESS, search.get('access')),
});

/** The parameters of a view, for the page's URL and for the call. What is unset is not among them. */
export const paramsOf = ({ range, fileType, access }: FileView) => ({
  ...(range && { from: range.from, to: range.to }),
  ...(fileType && { file_type: fileType }),
  ...(access && { access }),
});
