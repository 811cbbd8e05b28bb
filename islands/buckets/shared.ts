/** The exports of the bucket islands that other islands may import. */
export { BucketList } from './list/bucket-list.tsx';
export { useBuckets } from './list/bucket-query.ts';
