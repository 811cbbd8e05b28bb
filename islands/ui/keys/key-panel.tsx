import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import { type ReactNode, useRef, useState } from 'react';
import { notify } from '../../runtime/notify.ts';
import { Time } from '../date/time.tsx';
import { ConfirmDialog, Subject } from '../dialog/dialog.tsx';
import { Button } from '../form/button.tsx';
import { Panel } from '../panel.tsx';
import type { KeyDialogProps } from './key-dialog.tsx';

/** A key as the panel shows it. */
export type ListedKey = {
  id: string;
  name: string;
  /** What identifies the key beside its name, such as an access key ID. */
  code?: string;
  scope: string;
  /** What the key opens, where keys differ in it. */
  opens?: string;
  /** In ISO 8601; null for never. */
  expires: string | null;
  last_used: string | null;
  /** Whether it can't be deleted. */
  isFixed?: boolean;
};

/**
 * Keys with their last use, and buttons to create and delete them.
 * @param props.kind such as 'API key'
 * @param props.warning what follows the name of a key that is about to be deleted
 * @param props.dialog renders the dialog that creates a key
 */
export function KeyPanel<Key extends { id: string }>({
  kind,
  title,
  text,
  queryKey,
  first,
  list,
  remove,
  max,
  toItem,
  warning,
  empty,
  dialog,
}: {
  kind: string;
  title: string;
  text: string;
  queryKey: string[];
  first: Key[];
  list: () => Promise<Key[]>;
  remove: (id: string) => Promise<unknown>;
  max: number;
  toItem: (key: Key) => ListedKey;
  warning: string;
  empty?: string;
  dialog: (props: KeyDialogProps) => ReactNode;
}) {
  const client = useQueryClient();
  const { data: keys } = useQuery({ queryKey, queryFn: list, initialData: first });
  const reload = () => client.invalidateQueries({ queryKey });
  const [isCreating, setCreating] = useState(false);
  const [keyToDelete, setKeyToDelete] = useState<ListedKey | null>(null);
  const element = useRef<HTMLUListElement>(null);
  const deletion = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      setKeyToDelete(null);
      notify.success(`${kind} deleted.`);
      return reload();
    },
  });
  return (
    <Panel
      title={title}
      text={text}
      action={
        <Button disabled={keys.length >= max} onClick={() => setCreating(true)}>
          Create key
        </Button>
      }
    >
      <ul ref={element} tabIndex={-1} className="flush rows outline-none">
        {keys.map(toItem).map((item) => (
          <KeyItem key={item.id} item={item} onDelete={() => setKeyToDelete(item)} />
        ))}
        {keys.length === 0 && empty && <li className="text-quiet">{empty}</li>}
      </ul>
      {dialog({ open: isCreating, onCreated: reload, onClose: () => setCreating(false) })}
      <ConfirmDialog
        open={keyToDelete !== null}
        title={`Delete ${kind}`}
        text={
          keyToDelete && (
            <>
              <Subject>{keyToDelete.name}</Subject> {warning}
            </>
          )
        }
        act="Delete key"
        isPending={deletion.isPending}
        after={element}
        onConfirm={() => keyToDelete && deletion.mutate(keyToDelete.id)}
        onClose={() => setKeyToDelete(null)}
      />
    </Panel>
  );
}

/** One key: its name, what it opens, when it expires and when it was last used. */
function KeyItem({ item, onDelete }: { item: ListedKey; onDelete: () => void }) {
  const { name, code, scope, opens, expires, last_used, isFixed = false } = item;
  return (
    <li className="flex items-center gap-3">
      <KeyRound size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_11rem_14rem] sm:items-center sm:gap-4">
        <div className="min-w-0">
          <p className="truncate font-medium" title={name}>
            {name}
          </p>
          {code && <code className="block truncate font-mono text-xs text-quiet">{code}</code>}
        </div>
        <p className="min-w-0 text-quiet">
          {scope}
          {opens && (
            <span className="block truncate text-xs" title={opens}>
              {opens}
            </span>
          )}
        </p>
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
      <div className={`flex w-20 shrink-0 justify-end ${isFixed ? 'max-sm:hidden' : ''}`}>
        {!isFixed && (
          <Button className="btn-sm" aria-label={`Delete ${name}`} onClick={onDelete}>
            Delete
          </Button>
        )}
      </div>
    </li>
  );
}
