import type { FileWire } from '../../server/contract/wire.ts';

/** Returns 'no. 3, about 5 min', or 'no. 3' where the time is not known. */
function placeInLine({ queue_position, queue_seconds }: FileWire): string {
  const minutes = queue_seconds === null ? null : Math.max(1, queue_seconds / 60);
  const time = minutes && (minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`);
  return `no. ${queue_position}${time ? `, about ${time}` : ''}`;
}

/**
 * The status of a file: its place in the line while it waits, its progress while it is processed, and
 * the reason if that failed. `short` truncates the reason to one line.
 */
export function FileStatusCell({ file, short = false }: { file: FileWire; short?: boolean }) {
  if (file.status === 'success') return <span className="text-success">Success</span>;
  if (file.status === 'error') {
    return <Status text="Error" className="text-error" note={file.error} short={short} />;
  }
  if (file.queue_position) {
    return <Status text="Queued" note={placeInLine(file)} short={short} />;
  }
  return (
    <span className="inline-flex flex-col gap-1">
      <span className="numbers whitespace-nowrap">
        Processing <span className="text-quiet">{file.progress}%</span>
      </span>
      <progress
        className="progress progress-primary h-1 w-full"
        value={file.progress}
        max={100}
        aria-label={`Processing ${file.name}`}
      />
    </span>
  );
}

/** A status with a note below it, or beside it on a card. `short` truncates the note to one line. */
function Status({
  text,
  className = '',
  note,
  short,
}: {
  text: string;
  className?: string;
  note: string | null;
  short: boolean;
}) {
  return (
    <span
      className={`${className} ${short ? 'max-md:flex max-md:items-baseline max-md:gap-2' : ''}`}
    >
      {text}{' '}
      {note && (
        <span
          className={`numbers block text-xs text-quiet ${short ? 'truncate' : ''}`}
          title={short ? note : undefined}
        >
          {note}
        </span>
      )}
    </span>
  );
}
