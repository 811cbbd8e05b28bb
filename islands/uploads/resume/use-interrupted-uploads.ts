import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { filesKey } from '../files-key.ts';
import { startUploads, type Upload } from '../queue/upload-manager.ts';
import { isInTray, useUploads } from '../upload-store.ts';
import { deleteHandle, type FileHandle, findHandle, openHandle } from './file-handles.ts';
import { continueUpload, discard, isFileOf, listResumableUploads } from './resumable-uploads.ts';
import type { ResumeEntry } from './resume-entries.ts';
import { resumeKeyOf } from './resume-keys.ts';
import { claimUpload, releaseUpload } from './running-uploads.ts';

/** An interrupted upload, and the handle of its file where the browser has kept it. */
export type InterruptedUpload = { entry: ResumeEntry; handle: FileHandle | null };

/** The client ids of uploads that this page has sent: one that fails waits for the user. */
const sentIds = new Set<string>();

/**
 * The interrupted uploads of a bucket. Those whose files the browser lets the page read without asking are resumed at
 * once.
 */
export function useInterruptedUploads(bucketId: string) {
  const client = useQueryClient();
  const rows = useUploads();
  // An upload that starts or ends may have been in the list, or belong there.
  const current = rows.filter(isInTray).length;
  const key = ['interrupted', bucketId];
  const { data } = useQuery({
    queryKey: [...key, current],
    queryFn: () => listWithHandles(bucketId),
    staleTime: 0,
    gcTime: 0,
  });
  const refresh = () => client.invalidateQueries({ queryKey: key });
  const discarding = useMutation({ mutationFn: discard, onSettled: refresh });

  const resumeWith = async (entry: ResumeEntry, file: File): Promise<boolean> => {
    if (!(await isFileOf(entry, file))) return false;
    const upload = await claimAndContinue(entry, file);
    if (upload) {
      startUploads(bucketId, [upload], () =>
        client.invalidateQueries({ queryKey: filesKey(bucketId) }),
      );
    } else await refresh();
    return true;
  };
  const resume = async ({ entry, handle }: InterruptedUpload, ask = true): Promise<boolean> => {
    const file = handle && (await openHandle(handle, { ask }));
    if (file && (await resumeWith(entry, file))) return true;
    // The file is gone or has changed, or the user lets nobody read it: it can be chosen.
    if (ask) await deleteHandle(resumeKeyOf(entry)).then(refresh);
    return false;
  };
  const resumeAll = useEffectEvent(async (list: InterruptedUpload[]) => {
    for (const upload of list) {
      const { clientId } = upload.entry;
      if (sentIds.has(clientId)) continue;
      sentIds.add(clientId);
      await resume(upload, false);
    }
  });
  useEffect(() => {
    for (const { clientId } of rows) sentIds.add(clientId);
  }, [rows]);
  useEffect(() => {
    if (data) void resumeAll(data);
  }, [data]);
  return { list: data ?? [], resume, resumeWith, discarding };
}

/**
 * Returns the upload that continues an interrupted one, which no other tab continues from then on. Two may be opened at
 * once, as when a browser starts with the tabs of its last session. Null where there is nothing to continue.
 */
async function claimAndContinue(entry: ResumeEntry, file: File): Promise<Upload | null> {
  const { clientId } = entry;
  if (!(await claimUpload(clientId))) {
    // It is resumed here if the other tab is closed before its end.
    sentIds.delete(clientId);
    return null;
  }
  let upload: Upload | null = null;
  try {
    upload = await continueUpload(entry, file);
    return upload;
  } finally {
    if (!upload) releaseUpload(clientId);
  }
}

const listWithHandles = async (bucketId: string): Promise<InterruptedUpload[]> =>
  Promise.all(
    (await listResumableUploads(bucketId)).map(async (entry) => ({
      entry,
      handle: await findHandle(resumeKeyOf(entry)),
    })),
  );
