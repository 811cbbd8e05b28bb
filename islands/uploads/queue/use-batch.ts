import { useEffect, useEffectEvent, useState } from 'react';
import { notify } from '../../runtime/notify.ts';
import { dropBatch, hasEnded, leaveBatch, useUploads } from '../upload-store.ts';
import { startUploads, type Upload } from './upload-manager.ts';

/**
 * The files that a dialog sends, until the last of them has ended.
 * @param onEnd called then, and when they are left to themselves: close and reset
 */
export function useBatch(bucketId: string, onChange: () => unknown, onEnd: () => void) {
  const [batch, setBatch] = useState<number | null>(null);
  const rows = useUploads().filter((row) => row.batch === batch);
  const over = batch !== null && rows.every(hasEnded);

  const end = useEffectEvent((ended: number) => {
    if (rows.length > 0 && rows.every(({ phase }) => phase === 'stopped')) {
      notify.success('Upload stopped.');
    }
    // Of one file the toast has said all; of many, those that failed can still be read.
    if (rows.length > 1) leaveBatch(ended);
    else dropBatch(ended);
    setBatch(null);
    onEnd();
  });
  useEffect(() => {
    if (over && batch !== null) end(batch);
  }, [over, batch]);

  return {
    rows,
    isBusy: batch !== null,
    start: (uploads: Upload[]) => setBatch(startUploads(bucketId, uploads, onChange)),
    /** Gives the uploads to the tray. */
    leave() {
      if (batch !== null) leaveBatch(batch);
      setBatch(null);
      onEnd();
    },
  };
}
