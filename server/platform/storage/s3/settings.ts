/** One bucket of an S3 server, and who we are there. */
export type S3Settings = {
  bucket: string;
  /** What all our keys begin with: '' or text that ends in '/'. */
  root: string;
  /** Null is Amazon's own. */
  endpoint: string | null;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
};

/** For a person; holds no secret. */
export const describeS3 = ({ bucket, endpoint }: S3Settings): string =>
  `the bucket ${bucket} at ${endpoint ?? 'Amazon S3'}`;
