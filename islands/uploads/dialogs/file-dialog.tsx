import { useEffect, useEffectEvent, useState } from 'react';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { Access } from '../../../server/contract/wire.ts';
import { useFormError } from '../../ui/form/form-error.ts';
import { keyOf, kindOf, newOnes, sameName, sameNameText } from '../file-kinds.ts';
import { relativeFolderOf } from '../folders/relative-folder.ts';
import { startUploads } from '../queue/upload-manager.ts';
import { freshFile } from '../resume/fresh-file.ts';
import { FilePicker, FolderPicker, SelectedFile, SelectionSummary } from './file-selection.tsx';
import { type DialogProps, UploadDialog } from './upload-dialog.tsx';
import { AccessField, CheckboxField, ReplaceField } from './upload-fields.tsx';
import { rulesText, tooLargeText } from './upload-rules.ts';

/** Of a folder with more files the summary tells how many. */
const MAX_LISTED_FILES = 100;

const EMPTY = {
  files: [] as File[],
  access: 'public' as Access,
  isExact: false,
  replace: false,
};

/** The 'Upload Files' dialog, which takes files of any type. */
export function FileDialog(props: DialogProps) {
  const { bucketId, folder, open, dropped } = props;
  const [form, setForm] = useState(EMPTY);
  const missing = useFormError();
  const close = () => {
    props.onClose();
    setForm(EMPTY);
    missing.clear();
  };
  const { files, access, isExact, replace } = form;

  const add = (added: File[]) => {
    missing.clear();
    setForm(({ files, ...form }) => ({ ...form, files: [...files, ...newOnes(files, added)] }));
  };
  const take = useEffectEvent(add);
  useEffect(() => take(dropped), [dropped]);

  const submit = () => {
    const same = replace ? sameName(files) : null;
    const tooLarge = tooLargeText(files, props.rules);
    if (files.length === 0) missing.report(MESSAGES.noFile);
    else if (same) missing.report(sameNameText(same));
    else if (tooLarge) missing.report(tooLarge);
    else {
      const folderOf = (file: File) => `${folder}${relativeFolderOf(file)}`;
      const options = { access, isExact, replace };
      startUploads(
        bucketId,
        files.map((file) => freshFile(bucketId, { file, ...options, folder: folderOf(file) })),
        props.onChange,
      );
      close();
    }
  };

  return (
    <UploadDialog
      title="Upload Files"
      text="Images and videos are optimised. Other files are stored as they are."
      open={open}
      onClose={close}
      onSubmit={submit}
    >
      <FilePicker
        label="Files"
        help={rulesText(props.rules) ?? 'Any type.'}
        error={missing.error}
        accept=""
        onFiles={add}
      />
      <FolderPicker onFiles={add} />
      <SelectionSummary files={files} />
      {files.length > 0 && (
        <ul aria-label="Chosen files" className="max-h-64 overflow-y-auto">
          {files.slice(0, MAX_LISTED_FILES).map((file) => (
            <SelectedFile
              key={keyOf(file)}
              file={file}
              kind={kindOf(file) ?? 'file'}
              note={relativeFolderOf(file)}
              onRemove={() => setForm({ ...form, files: files.filter((one) => one !== file) })}
            />
          ))}
        </ul>
      )}
      <AccessField value={access} onValue={(access) => setForm({ ...form, access })} />
      <CheckboxField
        label="Keep files as they are"
        help="Stores images and videos byte for byte, with their metadata. Such a video has no player."
        checked={isExact}
        onChecked={(isExact) => setForm({ ...form, isExact })}
      />
      <ReplaceField checked={replace} onChecked={(replace) => setForm({ ...form, replace })} />
    </UploadDialog>
  );
}
