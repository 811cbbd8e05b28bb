import type { FileWire } from '../../../server/contract/wire.ts';

/**
 * How far a file is: per cent while it is made, the reason when it could not be; `short` leaves it
 * one line.
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
