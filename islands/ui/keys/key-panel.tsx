import { type ReactNode, useState } from 'react';
import { Button } from '../form/button.tsx';
import { Panel } from '../panel.tsx';
import type { KeyDialogProps } from './key-dialog.tsx';
import { KeyList, type KeyListProps, type KeyListWords, useKeys } from './key-list.tsx';

/**
 * Keys with their last use, and buttons to create and delete them.
 * @param props.kind such as 'API key'
 * @param props.dialog renders the dialog that creates a key
 */
export function KeyPanel<Key extends { id: string }>({
  kind,
  title,
  text,
  max,
  dialog,
  ...list
}: Omit<KeyListProps<Key>, 'words'> & {
  kind: string;
  title: string;
  text: string;
  max: number;
  dialog: (props: KeyDialogProps) => ReactNode;
}) {
  const { keys, reload } = useKeys(list);
  const [isCreating, setCreating] = useState(false);
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
      <KeyList {...list} words={wordsOf(kind)} />
      {dialog({ open: isCreating, onCreated: reload, onClose: () => setCreating(false) })}
    </Panel>
  );
}

const wordsOf = (kind: string): KeyListWords => ({
  verb: 'Delete',
  title: `Delete ${kind}`,
  act: 'Delete key',
  done: `${kind} deleted.`,
});
