import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { MESSAGES } from '../../server/contract/messages.ts';
import type { FileWire } from '../../server/contract/wire.ts';
import { useAuth } from '../auth.ts';
import { notify } from '../notify.ts';
import { openSocket } from '../socket.ts';
import { filesKey } from './use-files.ts';

export type UploadState =
  | { phase: 'idle' }
  | { phase: 'sending'; sent: number; total: number }
  | { phase: 'processing'; fileId: string; progress: number };

/**
 * An upload from the first byte to the end of its processing. The list is what decides that it has
 * ended; the socket says when to look, and the list looks by itself should a message be lost.
 * @param files the rows of the list
 * @param onEnd called when there is nothing left to wait for: close and reset
 */
export function useUpload(options: {
  bucketId: string;
  files: FileWire[];
  open: boolean;
  onEnd: () => void;
}) {
  const { bucketId, files, open } = options;
  const [state, setState] = useState<UploadState>({ phase: 'idle' });
  const { userId } = useAuth();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: filesKey(bucketId) });

  const end = useEffectEvent(() => {
    setState({ phase: 'idle' });
    options.onEnd();
  });

  const fileId = state.phase === 'processing' ? state.fileId : null;
  const own = files.find((file) => file.id === fileId);
  const status = own?.status;
  const reason = own?.error;
  useEffect(() => {
    if (status === undefined || status === 'processing') return;
    if (status === 'error') notify.error(reason ?? MESSAGES.unexpected);
    end();
  }, [status, reason]);

  const onEvent = useEffectEvent((event: { fileId: string; type: string; progress: number }) => {
    if (event.fileId !== fileId) return;
    if (event.type === 'file.progress') {
      setState({ phase: 'processing', fileId: event.fileId, progress: event.progress });
    } else if (event.type === 'file.deleted') {
      void refresh();
      end();
    } else void refresh();
  });
  const onOpen = useEffectEvent(() => void refresh());
  useEffect(() => {
    if (!open || !userId) return;
    return openSocket(userId, { onEvent: (event) => onEvent(event), onOpen: () => onOpen() });
  }, [open, userId]);

  /** Sends, then waits. `send` reports the bytes that have left. */
  async function start(total: number, send: (onSent: (sent: number) => void) => Promise<FileWire>) {
    setState({ phase: 'sending', sent: 0, total });
    try {
      const file = await send((sent) =>
        setState({ phase: 'sending', sent: Math.min(sent, total), total }),
      );
      setState({ phase: 'processing', fileId: file.id, progress: file.progress });
      await refresh();
    } catch (error) {
      notify.failure(error);
      await refresh();
      end();
    }
  }

  return { state, start, leave: () => setState({ phase: 'idle' }) };
}
