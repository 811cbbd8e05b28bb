import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import { useRef, useState } from 'react';
import { MAX_API_KEYS } from '../../server/contract/limits.ts';
import type { ApiKeyWire, KeyScope } from '../../server/contract/wire.ts';
import { call } from '../runtime/api.ts';
import { notify } from '../runtime/notify.ts';
import { Time } from '../ui/date/time.tsx';
import { ConfirmDialog, Subject } from '../ui/dialog/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';

const SCOPES: Record<KeyScope, string> = {
  read: 'Read',
  write: 'Write',
  'read-write': 'Read and write',
};

/** The API keys of a bucket with their last use, and buttons to create and delete those beside the primary one. */
export function NamedKeys({ bucketId, first }: { bucketId: string; first: ApiKeyWire[] }) {
  const client = useQueryClient();
  const queryKey = ['api-keys', bucketId];
  const { data: keys } = useQuery({
    queryKey,
    queryFn: () => listKeys(bucketId),
    initialData: first,
  });
  const reload = () => client.invalidateQueries({ queryKey });
  const [isCreating, setCreating] = useState(false);
  const [keyToDelete, setKeyToDelete] = useState<ApiKeyWire | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const remove = useMutation({
    mutationFn: (id: string) => deleteKey(bucketId, id),
    onSuccess: () => {
      setKeyToDelete(null);
      notify.success('API key deleted.');
      return reload();
    },
  });
  return (
    <Panel
      title="Keys for your apps"
      text="Give each app its own key, with only the access it needs. You can delete one without changing the others."
      action={
        <Button disabled={keys.length > MAX_API_KEYS} onClick={() => setCreating(true)}>
          Create key
        </Button>
      }
    >
      <ul ref={list} tabIndex={-1} className="flush rows outline-none">
        {keys.map((key) => (
          <KeyItem key={key.id} apiKey={key} onDelete={() => setKeyToDelete(key)} />
        ))}
      </ul>
      <CreateKeyDialog
        bucketId={bucketId}
        open={isCreating}
        onCreated={reload}
        onClose={() => setCreating(false)}
      />
      <ConfirmDialog
        open={keyToDelete !== null}
        title="Delete API key"
        text={
          keyToDelete && (
            <>
              <Subject>{keyToDelete.name}</Subject> and all access tokens and links to private files
              that were created with it stop working immediately. This can't be undone.
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

/** One key: its name, its scope, when it expires and when it was last used. */
function KeyItem({ apiKey, onDelete }: { apiKey: ApiKeyWire; onDelete: () => void }) {
  const { name, scope, is_primary, expires, last_used } = apiKey;
  return (
    <li className="flex items-center gap-3">
      <KeyRound size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_9rem_14rem] sm:items-center sm:gap-4">
        <p className="truncate font-medium" title={name}>
          {name}
        </p>
        <p className="text-quiet">{SCOPES[scope]}</p>
        <p className="text-quiet">
          {last_used ? (
            <>
              Last used <Time iso={last_used} withTime />
            </>
          ) : (
            'Never used'
          )}
          {expires && (
            <span className="block text-xs">
              Valid until <Time iso={expires} />
            </span>
          )}
        </p>
      </div>
      <div className={`flex w-20 shrink-0 justify-end ${is_primary ? 'max-sm:hidden' : ''}`}>
        {!is_primary && (
          <Button className="btn-sm" aria-label={`Delete ${name}`} onClick={onDelete}>
            Delete
          </Button>
        )}
      </div>
    </li>
  );
}

const listKeys = async (bucketId: string) =>
  (await call('GET /buckets/api-keys/:bucketID', { params: { bucketID: bucketId } })).data;

const deleteKey = (bucketId: string, keyId: string) =>
  call('DELETE /buckets/api-keys/:bucketID/:keyID', {
    params: { bucketID: bucketId, keyID: keyId },
  });
