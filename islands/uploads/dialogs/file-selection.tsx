import FolderUp from 'lucide-react/icons/folder-up';
import Upload from 'lucide-react/icons/upload';
import X from 'lucide-react/icons/x';
import type { ReactNode, Ref } from 'react';
import { count, formatBytes } from '../../../server/contract/units.ts';
import { Field } from '../../ui/form/field.tsx';
import { FileInput } from '../file-input.tsx';
import type { UploadKind } from '../file-kinds.ts';
import { FileLine } from '../file-line.tsx';

/** Lets the user choose files or drop them. The rest of the page accepts dropped files too. */
export function FilePicker({
  ref,
  label,
  help,
  error,
  accept,
  onFiles,
}: {
  ref?: Ref<HTMLInputElement>;
  label: string;
  help: string;
  error?: string | null;
  accept: string;
  onFiles: (files: File[]) => void;
}) {
  return (
    <Field label={label} help={help} error={error}>
      {(described) => (
        <div className="relative grid h-16 place-items-center rounded-lg border border-dashed border-quiet text-quiet has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary focus-within:border-primary focus-within:text-base-content hover:border-primary hover:text-base-content">
          <span aria-hidden className="flex items-center gap-2">
            <Upload size={16} />
            Choose files or drop them here
          </span>
          <FileInput
            {...described}
            ref={ref}
            multiple
            accept={accept}
            className="absolute inset-0 size-full cursor-pointer rounded-lg opacity-0"
            onFiles={onFiles}
          />
        </div>
      )}
    </Field>
  );
}

/** Lets the user choose a folder with all files in it, which keep their paths. */
export function FolderPicker({ onFiles }: { onFiles: (files: File[]) => void }) {
  return (
    <label className="btn btn-sm -mt-2 self-start has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary">
      <FolderUp size={16} aria-hidden />
      Choose a folder
      <input
        type="file"
        multiple
        {...{ webkitdirectory: '' }}
        className="sr-only"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </label>
  );
}

/** A selected file that is not being uploaded yet. */
export function SelectedFile(props: {
  file: File;
  kind: UploadKind;
  note?: string | null;
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
      {props.children}
    </FileLine>
  );
}

/** The number of selected files and their total size, as a long list shows only its first files. */
export function SelectionSummary({ files }: { files: File[] }) {
  if (files.length < 2) return null;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <p className="text-xs text-quiet">
      {count(files.length, 'file')}, {formatBytes(bytes)}
    </p>
  );
}
