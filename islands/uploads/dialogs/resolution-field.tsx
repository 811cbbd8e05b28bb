import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { parseSize, suggestResolutions } from '../../../server/contract/resolutions.ts';
import { notify } from '../../runtime/notify.ts';
import { Field } from '../../ui/form/field.tsx';

const RATIO_TOLERANCE = 0.01;

/** The first video's size, or why it is not known yet. */
type Source = 'none' | 'reading' | Size;

/** The resolutions to transcode a video to: suggestions that can be toggled, or any that are typed. */
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
  const selectedSizes = parseSizes(value);
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Resolutions"
        help={suggestions === null ? MESSAGES.ratioUnsupported : helpFor(source)}
        error={isSizeList(value) ? null : 'Enter sizes such as 1280x720, separated by commas.'}
      >
        {(described) => (
          <input
            {...described}
            type="text"
            className="numbers input w-full aria-disabled:cursor-not-allowed aria-disabled:bg-base-100 aria-disabled:text-quiet"
            placeholder="1280x720, 640x360"
            autoComplete="off"
            // A field with `disabled` gets no clicks, so it could not explain why it is disabled.
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
              aria-pressed={selectedSizes.includes(size)}
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

/** Returns the sizes that a text lists, each once and in the same order. */
export const parseSizes = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];

/** Returns the text with a size added, or removed if the text contains it. */
export function toggleSize(text: string, size: string): string {
  const sizes = parseSizes(text);
  const others = sizes.filter((one) => one !== size);
  return (others.length < sizes.length ? others : [...sizes, size]).join(', ');
}

/** Returns whether every part of the text is a size. */
export const isSizeList = (text: string) =>
  parseSizes(text).every((size) => parseSize(size) !== null);

/** Returns the chosen sizes that have the aspect ratio of a video and are not larger than it. */
export const sizesThatFit = (selectedSizes: readonly string[], source: Size): string[] =>
  selectedSizes.filter((text) => {
    const size = parseSize(text);
    if (!size || size.width * size.height > source.width * source.height) return false;
    const difference = size.width / size.height - source.width / source.height;
    return Math.abs(difference) <= RATIO_TOLERANCE;
  });
