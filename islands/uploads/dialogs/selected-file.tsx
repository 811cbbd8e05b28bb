import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileType } from '../../../server/contract/wire.ts';
import { FileLine } from './file-line.tsx';

/** A file that is chosen, before it is sent. */
export function SelectedFile(props: {
  file: File;
  kind: FileType;
  note?: string | null;
  error?: string | null;
  onRemove: () => void;
  children?: ReactNode;
}) {
  const { file } = props;
  return (
    <FileLine
      file={file}
      kind={props.kind}
      action={
        <button
          type="button"
          className="btn btn-ghost btn-square btn-sm -mr-2"
          aria-label={`Remove ${file.name}`}
          onClick={props.onRemove}
        >
          <X size={16} aria-hidden />
        </button>
      }
    >
      <p className="numbers text-xs text-quiet">
        {[formatBytes(file.size), props.note].filter(Boolean).join(' · ')}
      </p>
      {props.error && (
        <p role="alert" className="text-xs text-error">
          {props.error}
        </p>
      )}
      {props.children}
    </FileLine>
  );
}
