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
    return (
      <span
        className={`text-error ${short ? 'max-sm:flex max-sm:items-baseline max-sm:gap-2' : ''}`}
      >
        Error
        {file.error && (
          <span
            className={`block text-xs text-quiet ${short ? 'truncate' : ''}`}
            title={short ? file.error : undefined}
          >
            {file.error}
          </span>
        )}
      </span>
    );
  }
  if (file.queue_position) {
    return (
      <span className="numbers whitespace-nowrap">
        Queued <span className="text-quiet">{placeInLine(file)}</span>
      </span>
    );
  }
  return (
    <span className="inline-flex flex-col gap-1">
      <span className="numbers whitespace-nowrap">
        Processing <span className="text-quiet">{file.progress} %</span>
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
