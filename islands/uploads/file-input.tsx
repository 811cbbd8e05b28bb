import type { ComponentProps } from 'react';
import { canPickHandles, pickFiles } from './resume/pick-files.ts';

/**
 * A field for files. Where the browser can give the page handles of the chosen files, its own picker is opened, so that
 * an upload goes on after a reload without choosing them again.
 */
export function FileInput({
  accept,
  multiple = false,
  onFiles,
  ...rest
}: Omit<ComponentProps<'input'>, 'type' | 'onChange' | 'onClick' | 'accept' | 'multiple'> & {
  /** Types and extensions; '' for any file. */
  accept: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
}) {
  return (
    <input
      {...rest}
      type="file"
      multiple={multiple}
      accept={accept}
      onClick={(event) => {
        if (!canPickHandles()) return;
        event.preventDefault();
        void pickFiles(accept, multiple).then((files) => files.length > 0 && onFiles(files));
      }}
      onChange={({ target }) => {
        onFiles([...(target.files ?? [])]);
        // Otherwise the browser reports no change when a removed file is chosen again.
        target.value = '';
      }}
    />
  );
}
