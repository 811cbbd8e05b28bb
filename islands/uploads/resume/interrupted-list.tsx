import { type RefObject, useState } from 'react';
import { HOUR, MINUTE } from '../../../server/contract/limits.ts';
import { formatBytes, truncate } from '../../../server/contract/units.ts';
import { Button } from '../../ui/form/button.tsx';
import { FileInput } from '../file-input.tsx';
import { DiscardDialog } from './discard-dialog.tsx';
import { percentReceived, type ResumeEntry } from './resume-entries.ts';
import { type InterruptedUpload, useInterruptedUploads } from './use-interrupted-uploads.ts';

/**
 * The interrupted uploads of a bucket: each goes on with a click where the browser has kept its file, and with its file
 * chosen again elsewhere.
 */
export function InterruptedList({
  bucketId,
  after,
}: {
  bucketId: string;
  /** Gets the focus after an entry has left the list. */
  after: RefObject<HTMLElement | null>;
}) {
  const [entryToDiscard, setEntryToDiscard] = useState<ResumeEntry | null>(null);
  const { list, resume, resumeWith, discarding } = useInterruptedUploads(bucketId);
  const focusList = () => after.current?.focus({ preventScroll: true });
  return (
    <>
      {list.length > 0 && (
        <section
          aria-label="Interrupted uploads"
          className="mt-4 rounded-lg border border-warning px-3 pt-3 pb-1"
        >
          <h2 className="font-medium">Interrupted uploads</h2>
          <ul className="mt-1 max-h-56 overflow-y-auto">
            {list.map((upload) => (
              <InterruptedRow
                key={upload.entry.clientId}
                upload={upload}
                isDiscarding={discarding.isPending && discarding.variables === upload.entry}
                onResume={() => void resume(upload).then((is) => is && focusList())}
                onFile={async (file) => {
                  const isSame = await resumeWith(upload.entry, file);
                  if (isSame) focusList();
                  return isSame;
                }}
                onDiscard={() => {
                  // Nothing of an image is stored that a confirmation could save.
                  if (upload.entry.kind !== 'image') return setEntryToDiscard(upload.entry);
                  discarding.mutate(upload.entry);
                  focusList();
                }}
              />
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

function InterruptedRow({
  upload: { entry, handle },
  isDiscarding,
  onResume,
  onFile,
  onDiscard,
}: {
  upload: InterruptedUpload;
  isDiscarding: boolean;
  onResume: () => void;
  /** Returns whether the file is the one that was interrupted. */
  onFile: (file: File) => Promise<boolean>;
  onDiscard: () => void;
}) {
  const [isOther, setOther] = useState(false);
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-2 sm:flex-nowrap">
      <div className="min-w-0 grow basis-full py-1 sm:basis-0">
        <p className="numbers wrap-anywhere text-quiet" title={entry.name}>
          {interruptedText(entry, Date.now(), handle !== null)}
        </p>
        {isOther && (
          <p role="alert" className="text-xs wrap-anywhere text-error">
            That is another file. Choose {truncate(entry.name)}, {formatBytes(entry.size)}.
          </p>
        )}
      </div>
      {handle ? (
        <Button className="h-11 shrink-0" aria-label={`Resume ${entry.name}`} onClick={onResume}>
          Resume
        </Button>
      ) : (
        <span className="btn relative h-11 shrink-0 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary">
          <span aria-hidden>Choose file</span>
          <FileInput
            accept=""
            aria-label={`Choose file: ${entry.name}`}
            className="absolute inset-0 size-full cursor-pointer opacity-0"
            onFiles={([file]) => file && void onFile(file).then((isSame) => setOther(!isSame))}
          />
        </span>
      )}
      <Button
        className="btn-ghost h-11 shrink-0"
        aria-label={`Discard ${entry.name}`}
        pending={isDiscarding}
        onClick={onDiscard}
      >
        Discard
      </Button>
    </li>
  );
}

/**
 * Returns a text such as 'holiday.mp4, 43%, expires in 21 h. Choose the file again to resume.'
 * @param isKept whether the browser has kept the file, so that it need not be chosen again
 */
export function interruptedText(entry: ResumeEntry, now: number, isKept = false): string {
  const name = truncate(entry.name);
  if (entry.kind === 'image') {
    return isKept
      ? `${name}. The upload starts over.`
      : `${name}. Choose the file again to upload it.`;
  }
  const remainingMs = Math.max(MINUTE, entry.expires - now);
  const time =
    remainingMs < HOUR
      ? `${Math.round(remainingMs / MINUTE)} min`
      : `${Math.floor(remainingMs / HOUR)} h`;
  const state = `${name}, ${percentReceived(entry)}%, expires in ${time}.`;
  return isKept ? state : `${state} Choose the file again to resume.`;
}
