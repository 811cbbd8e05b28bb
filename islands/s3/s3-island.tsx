import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import { useRef, useState } from 'react';
import { MAX_S3_KEYS } from '../../server/contract/limits.ts';
import type { S3KeyWire } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Time } from '../ui/date/time.tsx';
import { ConfirmDialog, Subject } from '../ui/dialog/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Panel } from '../ui/panel.tsx';
import { CreateS3KeyDialog } from './create-s3-key-dialog.tsx';
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
      </div>
    </>
  );
}

/** The S3 keys of the account with their last use, and buttons to create and delete them. */
function S3Keys({ first }: { first: S3KeyWire[] }) {
  const client = useQueryClient();
  const queryKey = ['s3-keys'];
  const { data: keys } = useQuery({
    queryKey,
    queryFn: async () => (await call('GET /s3-keys', {})).data,
    initialData: first,
  });
  const reload = () => client.invalidateQueries({ queryKey });
  const [isCreating, setCreating] = useState(false);
  const [keyToDelete, setKeyToDelete] = useState<S3KeyWire | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const remove = useMutation({
    mutationFn: (keyID: string) => call('DELETE /s3-keys/:keyID', { params: { keyID } }),
    onSuccess: () => {
      setKeyToDelete(null);
      notify.success('S3 key deleted.');
      return reload();
    },
  });
  return (
    <Panel
      title="Keys"
      text="Give each client its own key, with only the access it needs."
      action={
        <Button disabled={keys.length >= MAX_S3_KEYS} onClick={() => setCreating(true)}>
          Create key
        </Button>
      }
    >
      <ul ref={list} tabIndex={-1} className="flush rows outline-none">
        {keys.map((key) => (
          <KeyItem key={key.id} s3Key={key} onDelete={() => setKeyToDelete(key)} />
        ))}
        {keys.length === 0 && <li className="text-quiet">No keys yet.</li>}
      </ul>
      <CreateS3KeyDialog open={isCreating} onCreated={reload} onClose={() => setCreating(false)} />
      <ConfirmDialog
        open={keyToDelete !== null}
        title="Delete S3 key"
        text={
          keyToDelete && (
            <>
              <Subject>{keyToDelete.name}</Subject> and presigned URLs that were created with it
              stop working immediately. This can't be undone.
            </>
          )
        }
        act="Delete key"
        isPending={remove.isPending}
        after={list}
        onConfirm={() => keyToDelete && remove.mutate(keyToDelete.id)}
        onClose={() => setKeyToDelete(null)}
      />
    </Panel>
  );
}

/** One key: its name, its access, when it expires and when it was last used. */
function KeyItem({ s3Key, onDelete }: { s3Key: S3KeyWire; onDelete: () => void }) {
  const { name, access, access_key_id, buckets, expires_at, last_used } = s3Key;
  return (
    <li className="flex items-center gap-3">
      <KeyRound size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_11rem_14rem] sm:items-center sm:gap-4">
        <div className="min-w-0">
          <p className="truncate font-medium" title={name}>
            {name}
          </p>
          <code className="block truncate font-mono text-xs text-quiet">{access_key_id}</code>
        </div>
        <p className="text-quiet">
          {ACCESSES[access]}
          <span className="block text-xs">{scopeText(buckets)}</span>
        </p>
        <p className="text-quiet">
          {last_used ? (
            <>
              Last used <Time iso={last_used} withTime />
            </>
          ) : (
            'Never used'
          )}
          {expires_at && (
            <span className="block text-xs">
              Valid until <Time iso={expires_at} />
            </span>
          )}
        </p>
      </div>
      <Button className="btn-sm" aria-label={`Delete ${name}`} onClick={onDelete}>
        Delete
      </Button>
    </li>
  );
}

const scopeText = (buckets: string[] | null): string =>
  buckets === null ? 'All buckets' : `${buckets.length} bucket${buckets.length === 1 ? '' : 's'}`;
