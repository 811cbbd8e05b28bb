import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../runtime/notify.ts';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { rollKey } from './token-calls.ts';

/** 'Regenerate', which asks once, because it ends everything that uses the old key. */
export function RollKey({ bucketId, onKey }: { bucketId: string; onKey: (key: string) => void }) {
  const [asking, setAsking] = useState(false);
  const close = () => setAsking(false);
  const roll = useMutation({
    mutationFn: () => rollKey(bucketId),
    onSuccess: (key) => {
      onKey(key);
      close();
      notify.success('API key regenerated.');
    },
  });
  return (
    <>
      <Button className="btn-sm" onClick={() => setAsking(true)}>
        Regenerate
      </Button>
      <ConfirmDialog
        open={asking}
        title="Regenerate API key"
        text="The current key and every access token of this bucket stop working at once, and so do links to private files. Programs need the new key."
        act="Regenerate"
        isPending={roll.isPending}
        onConfirm={() => roll.mutate()}
        onClose={close}
      />
    </>
  );
}
