import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { suggestResolutions } from '../../../server/contract/resolutions.ts';
import { notify } from '../../runtime/notify.ts';
import { Field } from '../../ui/form/field.tsx';
import { areSizes, sizesIn, toggleSize } from './resolution-text.ts';

/** What is known of the first video: none is chosen, it is being read, or its size. */
export type Source = 'none' | 'reading' | Size;

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
        error={areSizes(value) ? null : 'Write sizes such as 1280x720, separated by commas.'}
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
  return `The video is ${source.width}x${source.height}. Leave it empty to keep that size.`;
}
