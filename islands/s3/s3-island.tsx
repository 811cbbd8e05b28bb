import { MAX_S3_KEYS } from '../../server/contract/limits.ts';
import type { S3KeyWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { KeyPanel } from '../ui/keys/key-panel.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Panel } from '../ui/panel.tsx';
import { CreateS3KeyDialog } from './create-s3-key-dialog.tsx';
import { RequestCheck } from './request-check.tsx';
import { S3Snippets } from './s3-snippets.tsx';

const ACCESSES: Record<S3KeyWire['access'], string> = {
  read: 'Read',
  write: 'Write',
  both: 'Read and write',
};

/** What S3 clients need: the endpoint, keys, and how each is set up. */
export default function S3Island({ endpoint, keys }: { endpoint: string; keys: S3KeyWire[] }) {
  return (
    <>
      <PageHead title="S3" text="Use your buckets with S3 clients." />
      <div className="panels">
        <Panel title="Endpoint" text="The address for S3 clients. Any region works.">
          <div className="flex items-center gap-1 font-mono text-xs">
            <code className="min-w-0 break-all">{endpoint}</code>
            <CopyButton text={endpoint} label="Copy endpoint" />
          </div>
        </Panel>
        <S3Keys first={keys} />
        <S3Snippets endpoint={endpoint} />
        <RequestCheck />
      </div>
    </>
  );
}

/** The S3 keys of the account with their last use, and buttons to create and delete them. */
const S3Keys = ({ first }: { first: S3KeyWire[] }) => (
  <KeyPanel
    kind="S3 key"
    title="Keys"
    text="Give each client its own key, with only the access it needs."
    queryKey={['s3-keys']}
    first={first}
    list={async () => (await call('GET /s3-keys', {})).data}
    remove={(keyID) => call('DELETE /s3-keys/:keyID', { params: { keyID } })}
    max={MAX_S3_KEYS}
    toItem={({ id, name, access_key_id, access, bucket_names, expires_at, last_used }) => ({
      ...{ id, name, code: access_key_id, last_used, expires: expires_at },
      scope: ACCESSES[access],
      opens: bucket_names
        ? bucket_names.map((bucket) => bucket ?? 'Deleted bucket').join(', ')
        : 'All buckets',
    })}
    warning="and presigned URLs that were created with it stop working immediately. This can’t be undone."
    empty="No keys yet."
    dialog={(props) => <CreateS3KeyDialog {...props} />}
  />
);
