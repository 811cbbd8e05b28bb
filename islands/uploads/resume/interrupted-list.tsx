import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useState } from 'react';
import { HOUR, MINUTE } from '../../../server/contract/limits.ts';
import { formatBytes, truncate } from '../../../server/contract/units.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { hasEnded, useUploads } from '../upload-store.ts';
import { discard, listResumableUploads } from './resumable-uploads.ts';
import { bytesReceived, percentReceived, type ResumeEntry } from './resume-entries.ts';

/** The interrupted uploads of a bucket: what to do about each, and a button to discard it. */
export function InterruptedUploads({
  bucketId,
  after,
}: {
  bucketId: string;
  /** Gets the focus after an entry has been discarded. */
  after: RefObject<HTMLElement | null>;
}) {
  const [entryToDiscard, setEntryToDiscard] = useState<ResumeEntry | null>(null);
  // An upload that starts or ends may have been in the list, or belong there.
  const running = useUploads().filter((row) => !hasEnded(row)).length;
  const key = ['interrupted', bucketId];
  const client = useQueryClient();
  const { data = [] } = useQuery({
    queryKey: [...key, running],
    queryFn: () => listResumableUploads(bucketId),
    staleTime: 0,
    gcTime: 0,
  });
  const discarding = useMutation({
    mutationFn: discard,
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
  return (
    <>
      {data.length > 0 && (
        <section
          aria-label="Interrupted uploads"
          className="mt-4 rounded-lg border border-warning p-3"
        >
          <h2 className="font-medium">Interrupted uploads</h2>
          <ul className="mt-1 flex max-h-40 flex-col gap-1 overflow-y-auto">
            {data.map((entry) => (
              <li key={entry.clientId} className="flex items-center justify-between gap-3">
                <p className="numbers wrap-anywhere text-quiet" title={entry.name}>
                  {interruptedText(entry, Date.now())}
                </p>
                <Button
                  className="btn-ghost btn-sm shrink-0"
                  aria-label={`Discard ${entry.name}`}
                  pending={discarding.isPending && discarding.variables === entry}
                  onClick={() => {
                    // Nothing of an image is stored that a confirmation could save.
                    if (entry.kind !== 'image') return setEntryToDiscard(entry);
                    discarding.mutate(entry);
                    after.current?.focus();
                  }}
                >
                  Discard
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {/* It outlives the list, because it moves the focus when it has closed. */}
      <DiscardDialog
        entry={entryToDiscard}
        after={after}
        onConfirm={(entry) => {
          setEntryToDiscard(null);
          discarding.mutate(entry);
        }}
        onClose={() => setEntryToDiscard(null)}
      />
    </>
  );
}

/** Returns a text such as 'holiday.mp4, 43 %, expires in 21 h. Choose the file again to resume.' */
export function interruptedText(entry: ResumeEntry, now: number): string {
  if (entry.kind === 'image') return `${truncate(entry.name)}. Choose the file again to upload it.`;
  const remainingMs = Math.max(MINUTE, entry.expires - now);
  const time =
    remainingMs < HOUR
      ? `${Math.round(remainingMs / MINUTE)} min`
      : `${Math.floor(remainingMs / HOUR)} h`;
  return `${truncate(entry.name)}, ${percentReceived(entry)} %, expires in ${time}. Choose the file again to resume.`;
}

/** Asks before the uploaded part of an interrupted upload is deleted. */
export function DiscardDialog({
  entry,
  isRestart = false,
  after,
  onConfirm,
  onClose,
}: {
  /** Null while the dialog is closed. */
  entry: ResumeEntry | null;
  /** The file is uploaded again from the beginning afterwards. */
  isRestart?: boolean;
  after: RefObject<HTMLElement | null>;
  onConfirm: (entry: ResumeEntry) => void;
  onClose: () => void;
}) {
  return (
    <ConfirmDialog
      open={entry !== null}
      title={isRestart ? 'Start over' : 'Discard upload'}
      text={
        entry && (
          <>
            <Subject>{entry.name}</Subject> is {percentReceived(entry)} % uploaded (
            <span className="numbers">
              {formatBytes(bytesReceived(entry))} of {formatBytes(entry.size)}
            </span>
            ). The uploaded part will be deleted.{' '}
            {isRestart
              ? 'The upload starts again from the beginning.'
              : 'This upload can’t be resumed.'}
          </>
        )
      }
      act={isRestart ? 'Start over' : 'Discard'}
      after={after}
      onConfirm={() => entry && onConfirm(entry)}
      onClose={onClose}
    />
  );
}
