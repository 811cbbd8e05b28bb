import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { parseSize, suggestResolutions } from '../../../server/contract/resolutions.ts';
import { notify } from '../../runtime/notify.ts';
import { Field } from '../../ui/form/field.tsx';

const TOLERANCE = 0.01;

/** What is known of the first video: none is chosen, it is being read, or its size. */
type Source = 'none' | 'reading' | Size;

/** The sizes to make of a video: suggestions to toggle, or any typed in. */
export function ResolutionField({
  source,
  value,
  onValue,
}: {
  source: Source;
  value: string;
  onValue: (value: string) => void;
}) {
  const disabled = source === 'none' || source === 'reading';
  const suggestions = typeof source === 'object' ? suggestResolutions(source) : [];
  const chosen = sizesIn(value);
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Resolutions"
        help={suggestions === null ? MESSAGES.ratioUnsupported : helpFor(source)}
        error={areSizes(value) ? null : 'Enter sizes such as 1280x720, separated by commas.'}
      >
        {(described) => (
          <input
            {...described}
            type="text"
            className="numbers input w-full aria-disabled:cursor-not-allowed aria-disabled:bg-base-100 aria-disabled:text-quiet"
            placeholder="1280x720, 640x360"
            autoComplete="off"
            // A truly disabled field could not say, when it is clicked, why it is.
            aria-disabled={disabled}
            readOnly={disabled}
            value={value}
            onClick={() => {
              if (source === 'none') notify.error(MESSAGES.resolutionNeedsVideo);
            }}
            onChange={(event) => onValue(event.target.value)}
          />
        )}
      </Field>
      {suggestions === null && <p className="text-xs text-quiet">{helpFor(source)}</p>}
      {suggestions !== null && suggestions.length > 0 && (
        <fieldset className="flex flex-wrap gap-1.5">
          <legend className="sr-only">Suggested resolutions</legend>
          {suggestions.map((size) => (
            <button
              key={size}
              type="button"
              aria-pressed={chosen.includes(size)}
              className="numbers h-7 cursor-pointer rounded-md border border-edge px-2 max-sm:h-10 font-mono text-xs hover:border-quiet aria-pressed:border-primary aria-pressed:text-primary"
              onClick={() => onValue(toggleSize(value, size))}
            >
              {size}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}

function helpFor(source: Source): string {
  if (source === 'none') return 'Select a video first.';
  if (source === 'reading') return 'Reading the video.';
  return `The video is ${source.width}x${source.height}. Leave empty to keep that size.`;
}

/** The sizes a text holds, in its order, each once. */
export const sizesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

/** The text with one size put in, or taken out when it was there. */
export function toggleSize(text: string, size: string): string {
  const sizes = sizesIn(text);
  const others = sizes.filter((one) => one !== size);
  return (others.length < sizes.length ? others : [...sizes, size]).join(', ');
}

/** Whether every part of the text is a size. */
export const areSizes = (text: string) => sizesIn(text).every((size) => parseSize(size) !== null);

/** Of the chosen sizes those that suit a video: of its own shape, and not larger than it is. */
export const sizesFor = (chosen: readonly string[], source: Size): string[] =>
  chosen.filter((text) => {
    const size = parseSize(text);
    if (!size || size.width * size.height > source.width * source.height) return false;
    const difference = size.width / size.height - source.width / source.height;
    return Math.abs(difference) <= TOLERANCE;
  });
