import Upload from 'lucide-react/icons/upload';
import type { Ref } from 'react';
import { Field } from '../../ui/form/field.tsx';

/** Chooses files, or takes those that are dropped on it; the page itself takes them too. */
export function FilePicker({
  ref,
  label,
  help,
  accept,
  onFiles,
}: {
  ref?: Ref<HTMLInputElement>;
  label: string;
  help: string;
  accept: string;
  onFiles: (files: File[]) => void;
}) {
  return (
    <Field label={label} help={help}>
      {(described) => (
        <div className="relative grid h-16 place-items-center rounded-lg border border-dashed border-quiet text-quiet has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary focus-within:border-primary focus-within:text-base-content hover:border-primary hover:text-base-content">
          <span aria-hidden className="flex items-center gap-2">
            <Upload size={16} />
            Choose files or drop them here
          </span>
          <input
            {...described}
            ref={ref}
            type="file"
            multiple
            accept={accept}
            className="absolute inset-0 size-full cursor-pointer rounded-lg opacity-0"
            onChange={({ target }) => {
              onFiles([...(target.files ?? [])]);
              // So that a file that was taken out can be chosen again.
              target.value = '';
            }}
          />
        </div>
      )}
    </Field>
  );
}
