import { isId } from './ids.ts';

/** As in S3: 3 to 63 lower-case letters, digits, hyphens and dots, no two dots in a row, and no IP address. */
const NAME = /^(?=.{3,63}$)[a-z0-9]+(?:[.-]+[a-z0-9]+)*$/;
const IP_ADDRESS = /^\d{1,3}(\.\d{1,3}){3}$/;

/** Whether S3 clients can know a bucket by a name. An id is none, as a bucket is found by its id too. */
export const isS3Name = (name: string): boolean =>
  NAME.test(name) &&
  !name.includes('..') &&
  !/\.-|-\./.test(name) &&
  !IP_ADDRESS.test(name) &&
  !isId(name);
