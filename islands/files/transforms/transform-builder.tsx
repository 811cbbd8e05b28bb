import { useEffect, useState } from 'react';
import { SEARCH_DEBOUNCE_MS } from '../../../server/contract/limits.ts';
import { PLAIN_FORMATS } from '../../../server/contract/transforms.ts';
import { formatBytes } from '../../../server/contract/units.ts';
import type { FileDetailWire } from '../../../server/contract/wire.ts';
import { withToken } from '../../file-urls/shared.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Field, TextField } from '../../ui/form/field.tsx';
import { Section } from '../file-facts.tsx';
import {
  CHOICES,
  isCropping,
  MAX_NUMBERS,
  NO_TRANSFORM,
  numberProblem,
  type TransformFields,
  transformUrl,
} from './transform-url.ts';

/** Whether a file is itself an image: one that is processed, or one that is stored as it is and could be read. */
const isImage = ({ file_type, content_type, thumbhash }: FileDetailWire) =>
  file_type === 'image' ||
  (file_type === 'file' && thumbhash !== null && content_type in PLAIN_FORMATS);

/** Builds the URL of the image, or of a video's poster, in another size or format, and shows the result. */
export function TransformBuilder({ file }: { file: FileDetailWire }) {
  const [fields, setFields] = useState(NO_TRANSFORM);
  const image = isImage(file) ? file.url : file.poster;
  if (file.status !== 'success' || image === null) return null;
  const url = transformUrl(image, fields);
  const fieldOf = (name: keyof TransformFields) => ({
    value: fields[name],
    onValue: (value: string) => setFields({ ...fields, [name]: value }),
  });
  const numberOf = (name: keyof typeof MAX_NUMBERS) => ({
    ...fieldOf(name),
    placeholder: `1 to ${MAX_NUMBERS[name]}`,
    error: numberProblem(name, fields[name]),
  });
  return (
    <Section
      title={file.file_type === 'video' ? 'Resize and convert the poster' : 'Resize and convert'}
      text="Each version is generated once and counts as storage. A file can have 64."
    >
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
        <NumberField label="Width" {...numberOf('width')} />
        <NumberField label="Height" {...numberOf('height')} />
        <NumberField label="Quality" {...numberOf('quality')} />
        <Select label="Format" options={CHOICES.format} {...fieldOf('format')} />
        <Select label="Fit" options={CHOICES.fit} {...fieldOf('fit')} />
        {isCropping(fields) && (
          <Select label="Keep" options={CHOICES.gravity} {...fieldOf('gravity')} />
        )}
      </div>
      {url && (
        <div className="mt-3 flex items-center gap-2">
          <code className="min-w-0 grow font-mono text-xs wrap-anywhere">{url}</code>
          <CopyButton
            text={withToken(url, file.access, file.jwt)}
            label="Copy the URL of this version"
          />
        </div>
      )}
      <Result src={url && withToken(url, file.access, file.jwt)} />
    </Section>
  );
}

type FieldProps = { label: string; value: string; onValue: (value: string) => void };

const NumberField = ({
  onValue,
  ...rest
}: FieldProps & { placeholder: string; error: string | null }) => (
  <TextField
    {...rest}
    inputMode="numeric"
    autoComplete="off"
    maxLength={4}
    className="numbers"
    onValue={(value) => onValue(value.replace(/\D/g, ''))}
  />
);

function Select({
  label,
  options,
  value,
  onValue,
}: FieldProps & { options: Record<string, string> }) {
  return (
    <Field label={label}>
      {(described) => (
        <select
          {...described}
          className="select w-full"
          value={value}
          onChange={(event) => onValue(event.target.value)}
        >
          {Object.entries(options)
            .toSorted(([one], [other]) => Number(one !== '') - Number(other !== ''))
            .map(([option, text]) => (
              <option key={option} value={option}>
                {text}
              </option>
            ))}
        </select>
      )}
    </Field>
  );
}

/**
 * The picture of a URL. It is loaded once nobody has typed for a moment, as each size on the way would be
 * generated and stored.
 */
function Result({ src }: { src: string | null }) {
  const [shown, setShown] = useState(src);
  const [about, setAbout] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      setShown(src);
      setAbout(null);
    }, SEARCH_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [src]);
  if (src === null || shown === null) return null;
  return (
    <figure className="mt-3 flex flex-col gap-1.5">
      <img
        key={shown}
        src={shown}
        alt="The result"
        className="h-auto max-h-80 max-w-full self-start rounded-md border border-base-300 bg-base-100 object-contain"
        onLoad={({ currentTarget }) => setAbout(sizeText(currentTarget))}
        onError={() => setAbout('This version could not be generated.')}
      />
      <figcaption className="numbers text-xs text-quiet" aria-live="polite">
        {about ?? 'Loading…'}
      </figcaption>
    </figure>
  );
}

/** Returns the size of a loaded image in pixels, and in bytes if the browser tells it. */
function sizeText({ src, naturalWidth, naturalHeight }: HTMLImageElement): string {
  const [entry] = performance.getEntriesByName(src).slice(-1) as PerformanceResourceTiming[];
  const bytes = entry?.encodedBodySize ? `, ${formatBytes(entry.encodedBodySize)}` : '';
  return `${naturalWidth} × ${naturalHeight}${bytes}`;
}
