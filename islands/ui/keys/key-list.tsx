import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import KeyRound from 'lucide-react/icons/key-round';
import { useRef, useState } from 'react';
import { notify } from '../../runtime/notify.ts';
import { Time } from '../date/time.tsx';
import { ConfirmDialog, Subject } from '../dialog/dialog.tsx';
import { Button } from '../form/button.tsx';

/** A key as the list shows it. */
export type ListedKey = {
  id: string;
  name: string;
  /** What identifies the key beside its name, such as an access key ID. */
  code?: string;
  /** When it was created, where keys may have the same name. */
  created?: string;
  scope: string;
  /** What the key opens, where keys differ in it. */
  opens?: string;
  /** In ISO 8601; null for never. */
  expires: string | null;
  last_used: string | null;
  /** Whether it can't be deleted. */
  isFixed?: boolean;
};

/** How the end of a key is called: on its row, on the dialog and on the button in it, and once it is done. */
export type KeyListWords = { verb: string; title: string; act: string; done: string };

/** Which keys are listed, and how one is deleted. */
export type KeyListProps<Key> = {
  words: KeyListWords;
  queryKey: string[];
  first: Key[];
  list: () => Promise<Key[]>;
  remove: (id: string) => Promise<unknown>;
  toItem: (key: Key) => ListedKey;
  /** What follows the name of a key that is about to be deleted. */
  warning: string;
  /** What is said where there is no key. */
  empty?: string;
};

/** Returns the keys of a list, and what loads them again. */
export function useKeys<Key>({
  queryKey,
  first,
  list,
}: Pick<KeyListProps<Key>, 'queryKey' | 'first' | 'list'>) {
  const client = useQueryClient();
  const { data: keys } = useQuery({ queryKey, queryFn: list, initialData: first });
  return { keys, reload: () => client.invalidateQueries({ queryKey }) };
}

/** Keys with their scope, expiry and last use, each with a button that ends it after a confirmation. */
export function KeyList<Key extends { id: string }>({
  words,
  remove,
  toItem,
  warning,
  empty,
  ...query
}: KeyListProps<Key>) {
  const { keys, reload } = useKeys(query);
  const [keyToDelete, setKeyToDelete] = useState<ListedKey | null>(null);
  const element = useRef<HTMLUListElement>(null);
  const deletion = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      setKeyToDelete(null);
      notify.success(words.done);
      return reload();
    },
  });
  return (
    <>
      <ul ref={element} tabIndex={-1} className="flush rows outline-none">
        {keys.map(toItem).map((item) => (
          <KeyItem
            key={item.id}
            item={item}
            verb={words.verb}
            onDelete={() => setKeyToDelete(item)}
          />
        ))}
        {keys.length === 0 && empty && <li className="text-quiet">{empty}</li>}
      </ul>
      <ConfirmDialog
        open={keyToDelete !== null}
        title={words.title}
        text={
          keyToDelete && (
            <>
              <Subject>{keyToDelete.name}</Subject> {warning}
            </>
          )
        }
        act={words.act}
        isPending={deletion.isPending}
        after={element}
        onConfirm={() => keyToDelete && deletion.mutate(keyToDelete.id)}
        onClose={() => setKeyToDelete(null)}
      />
    </>
  );
}

/** One key: its name, what it opens, when it expires and when it was last used. */
function KeyItem({
  item,
  verb,
  onDelete,
}: {
  item: ListedKey;
  verb: string;
  onDelete: () => void;
}) {
  const { name, code, created, scope, opens, expires, last_used, isFixed = false } = item;
  return (
    <li className="flex items-center gap-3">
      <KeyRound size={16} aria-hidden className="shrink-0 text-quiet" />
      <div className="min-w-0 grow sm:grid sm:grid-cols-[1fr_8rem_13rem] sm:items-center sm:gap-4">
        <div className="min-w-0">
          <p className="truncate font-medium" title={name}>
            {name}
          </p>
          {code && <code className="block truncate font-mono text-xs text-quiet">{code}</code>}
          {created && (
            <p className="text-xs text-quiet">
              Created <Time iso={created} withTime />
            </p>
          )}
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
          <Button className="btn-sm" aria-label={`${verb} ${name}`} onClick={onDelete}>
            {verb}
          </Button>
        )}
      </div>
    </li>
  );
}
