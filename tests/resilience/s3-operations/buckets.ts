import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetObjectAclCommand,
  HeadBucketCommand,
  type ObjectCannedACL,
  PutObjectAclCommand,
} from '@aws-sdk/client-s3';
import { foundBy, Known, type KnownKey } from './known-objects.ts';
import { check, keysOf, type Options, put, type Writer } from './writer.ts';

/** What stands for a bucket that is there. */
const THERE = 'there';

let names = 0;

/** Creates empty buckets and deletes them again, each with a name that no other one had. */
export function buckets({ client }: Options): Writer {
  const more: Known[] = [];
  return {
    keys: [],
    more,
    async write() {
      names += 1;
      const Bucket = `killed-${names}`;
      const known = new Known(`The bucket ${Bucket}`, async () =>
        (await foundBy(client().send(new HeadBucketCommand({ Bucket })))) ? THERE : null,
      );
      more.splice(0, more.length, known);
      await known.change(THERE, () => client().send(new CreateBucketCommand({ Bucket })));
      await known.change(null, () => client().send(new DeleteBucketCommand({ Bucket })));
    },
    async check() {
      for (const known of more) await known.check();
    },
  };
}

/** Shows an object to everyone and hides it again. */
export function acls(options: Options): Writer {
  const { client, bucket } = options;
  const [key] = keysOf(options, 1) as [KnownKey];
  const about = { Bucket: bucket, Key: key.key };
  const known = new Known(`The ACL of ${key.key}`, async () => {
    const answer = await foundBy(client().send(new GetObjectAclCommand(about)));
    if (!answer) return null;
    const isPublic = answer.Grants?.some(({ Grantee }) => Grantee?.URI?.endsWith('/AllUsers'));
    return isPublic ? 'public-read' : 'private';
  });
  const show = (ACL: ObjectCannedACL) =>
    known.change(ACL, () => client().send(new PutObjectAclCommand({ ...about, ACL })));
  return {
    keys: [key],
    more: [known],
    async write() {
      // A new object is private.
      await known.change('private', () => put(options, key));
      await show('public-read');
      await show('private');
    },
    check: check([key, known]),
  };
}
