import { useEffect, useRef } from 'react';
import { truncate } from '../../../server/contract/units.ts';
import type { FileWire } from '../../../server/contract/wire.ts';
import { NameField } from '../moves/name-field.tsx';

/** The name of a row, which opens the details, or the field that renames the file. */
export function FileName({
  file,
  bucketId,
  isStop,
  isRenamed,
  isCard = false,
  onDetails,
  onRename,
}: {
  file: FileWire;
  bucketId: string;
  isStop: boolean;
  isRenamed: boolean;
  /** Whether it is in the grid, where the whole card opens the details. */
  isCard?: boolean;
  onDetails: (file: FileWire) => void;
  onRename: (id: string | null) => void;
}) {
  const link = useRef<HTMLAnchorElement>(null);
  const wasRenamed = useRef(false);
  useEffect(() => {
    // The field that had the focus is gone.
    if (wasRenamed.current && !isRenamed && document.activeElement === document.body) {
      link.current?.focus({ preventScroll: true });
    }
    wasRenamed.current = isRenamed;
  }, [isRenamed]);
  if (isRenamed) return <NameField bucketId={bucketId} file={file} onDone={() => onRename(null)} />;
  return (
    <a
      ref={link}
      href={`?file=${file.id}`}
      tabIndex={isStop ? undefined : -1}
      className={`block min-w-0 truncate font-medium hover:underline ${isCard ? 'after:absolute after:inset-0' : 'max-md:w-full max-md:pr-9 max-md:after:absolute max-md:after:inset-0'}`}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        onDetails(file);
      }}
    >
      {truncate(file.name)}
    </a>
  );
}
