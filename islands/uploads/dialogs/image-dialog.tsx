import { useEffect, useEffectEvent, useState } from 'react';
import { MESSAGES } from '../../../server/contract/messages.ts';
import type { Access } from '../../../server/contract/wire.ts';
import { useFormError } from '../../ui/form/form-error.ts';
import { IMAGE_TYPES, keyOf, newOnes, refusalOf, sameName, sameNameText } from '../file-kinds.ts';
import { startUploads } from '../queue/upload-manager.ts';
import { freshFile } from '../resume/fresh-file.ts';
import { freshImage } from '../resume/fresh-image.ts';
import { FilePicker, SelectedFile, SelectionSummary } from './file-selection.tsx';
import { type DialogProps, UploadDialog } from './upload-dialog.tsx';
import { AccessField, allOrSome, CheckboxField, ReplaceField } from './upload-fields.tsx';
import { rulesText, tooLargeText } from './upload-rules.ts';

type SelectedImage = { file: File; webp: boolean };
/** So many refused files are named. */
const MAX_REFUSALS = 3;
/** `webp` applies to the images that are selected next. */
const EMPTY = {
  images: [] as SelectedImage[],
  access: 'public' as Access,
  webp: false,
  isExact: false,
  replace: false,
};

/** The 'Upload Image' dialog. */
export function ImageDialog(props: DialogProps) {
  const { bucketId, folder, open, dropped } = props;
  const [form, setForm] = useState(EMPTY);
  /** Why files that were chosen last are not in the list. */
  const [refused, setRefused] = useState<string | null>(null);
  const missing = useFormError();
  const close = () => {
    props.onClose();
    setForm(EMPTY);
    setRefused(null);
    missing.clear();
  };
  const { images, access, isExact, replace } = form;

  const add = (added: File[]) => {
    missing.clear();
    const refusals = added.flatMap((file) => refusalOf(file) ?? []);
    setRefused(refusals.slice(0, MAX_REFUSALS).join(' ') || null);
    const allowed = added.filter((file) => refusalOf(file) === null);
    setForm(({ images, webp, ...form }) => {
      const fresh = newOnes(
        images.map(({ file }) => file),
        allowed,
      );
      return { ...form, webp, images: [...images, ...fresh.map((file) => ({ file, webp }))] };
    });
  };
  const change = (image: SelectedImage, next: SelectedImage[]) =>
    setForm({ ...form, images: images.flatMap((one) => (one === image ? next : [one])) });
  const take = useEffectEvent(add);
  useEffect(() => take(dropped), [dropped]);

  const submit = () => {
    const files = images.map(({ file }) => file);
    const same = replace ? sameName(files) : null;
    const tooLarge = tooLargeText(files, props.rules);
    if (images.length === 0) missing.report(MESSAGES.noFile);
    else if (same) missing.report(sameNameText(same));
    else if (tooLarge) missing.report(tooLarge);
    else {
      const options = { access, folder, replace, isExact };
      // What can't be kept as an image, such as a TIFF, is kept as a file.
      startUploads(
        bucketId,
        images.map((image) =>
          isExact
            ? freshFile(bucketId, { file: image.file, ...options })
            : freshImage(bucketId, { ...image, ...options }),
        ),
        props.onChange,
      );
      close();
    }
  };

  return (
    <UploadDialog
      title="Upload Image"
      text="Each image is optimised and gets its own URL."
      open={open}
      onClose={close}
      onSubmit={submit}
    >
      <FilePicker
        label="Image"
        help={[
          'JPEG, PNG, WebP, GIF, SVG, AVIF, HEIC, TIFF or BMP. Max 50 MiB.',
          rulesText(props.rules),
        ]
          .filter(Boolean)
          .join(' ')}
        error={refused ?? missing.error}
        accept={IMAGE_TYPES}
        onFiles={add}
      />
      <SelectionSummary files={images.map(({ file }) => file)} />
      {images.length > 0 && (
        <ul aria-label="Chosen files" className="max-h-64 overflow-y-auto">
          {images.map((image) => (
            <SelectedFile
              key={keyOf(image.file)}
              file={image.file}
              kind="image"
              onRemove={() => change(image, [])}
            >
              {images.length > 1 && !isExact && (
                <WebpChoice image={image} onWebp={(webp) => change(image, [{ ...image, webp }])} />
              )}
            </SelectedFile>
          ))}
        </ul>
      )}
      <AccessField value={access} onValue={(access) => setForm({ ...form, access })} />
      <ConversionFields form={form} onForm={setForm} />
      <ReplaceField checked={replace} onChecked={(replace) => setForm({ ...form, replace })} />
    </UploadDialog>
  );
}

/** What is made of the images: they are optimised, become WebP, or are kept as they are. */
function ConversionFields({
  form,
  onForm,
}: {
  form: typeof EMPTY;
  onForm: (form: typeof EMPTY) => void;
}) {
  const { images, isExact } = form;
  const withWebp = (webp: boolean) => images.map((image) => ({ ...image, webp }));
  return (
    <>
      <CheckboxField
        label="Convert to WebP"
        help="Smaller files at the same quality. The original is kept, but private."
        checked={images.length === 0 ? form.webp : allOrSome(images.map(({ webp }) => webp))}
        onChecked={(webp) =>
          onForm({ ...form, webp, images: withWebp(webp), isExact: isExact && !webp })
        }
      />
      <CheckboxField
        label="Keep the file as it is"
        help="Delivers the image byte for byte, with its metadata, such as where it was taken."
        checked={isExact}
        onChecked={(isExact) =>
          onForm(
            isExact
              ? { ...form, isExact, webp: false, images: withWebp(false) }
              : { ...form, isExact },
          )
        }
      />
    </>
  );
}

function WebpChoice({ image, onWebp }: { image: SelectedImage; onWebp: (webp: boolean) => void }) {
  return (
    <label className="mt-1 flex cursor-pointer items-center gap-2 text-xs text-quiet max-sm:h-10">
      <input
        type="checkbox"
        className="checkbox checkbox-xs checkbox-primary"
        aria-label={`WebP for ${image.file.name}`}
        checked={image.webp}
        onChange={({ target }) => onWebp(target.checked)}
      />
      WebP
    </label>
  );
}
