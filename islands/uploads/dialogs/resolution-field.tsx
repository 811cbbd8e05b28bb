import { useState } from 'react';
import type { Size } from '../../../server/contract/media.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { parseSize, suggestResolutions } from '../../../server/contract/resolutions.ts';
import { notify } from '../../runtime/notify.ts';
import { Field } from '../../ui/form/field.tsx';

/** The resolutions of a video before there is one. The text explains why the field does nothing yet. */
export function DisabledResolutionField() {
  return (
    <Field label="Resolutions" help="Select a video first.">
      {(described) => (
        <input
          {...described}
          type="text"
          className="numbers input w-full cursor-not-allowed bg-base-100 text-quiet"
          placeholder="1280x720, 640x360"
          // A field with `disabled` gets no clicks, so it could not explain why it is disabled.
          aria-disabled
          readOnly
          value=""
          onClick={() => notify.error(MESSAGES.resolutionNeedsVideo)}
        />
      )}
    </Field>
  );
}

/** The resolutions to transcode a video to: suggestions that can be toggled, and others under 'Custom'. */
export function ResolutionField({
  name,
  source,
  value,
  onValue,
}: {
  /** The name of the file. */
  name: string;
  source: Size;
  value: string;
  onValue: (value: string) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const ladder = suggestResolutions(source);
  const suggestions = ladder ?? [];
  const selectedSizes = parseSizes(value);
  const isCustom = isOpen || !isSizeList(value);
  return (
    <fieldset aria-label={`Resolutions for ${name}`} className="flex flex-col gap-2">
      {suggestions.length === 0 && (
        <p className="text-xs text-quiet">
          {ladder === null ? MESSAGES.ratioUnsupported : 'Smaller than all suggested sizes.'} The
          video keeps its size.
        </p>
      )}
      <div className={CHIPS}>
        {suggestions.map((size) => (
          <button
            key={size}
            type="button"
            aria-pressed={selectedSizes.includes(size)}
            className={`numbers font-mono aria-pressed:border-primary aria-pressed:text-primary ${CHIP}`}
            onClick={() => onValue(toggleSize(value, size))}
          >
            {size}
          </button>
        ))}
        <button
          type="button"
          aria-expanded={isCustom}
          className={`text-quiet aria-expanded:text-base-content ${CHIP}`}
          onClick={() => setOpen(!isOpen)}
        >
          Custom
        </button>
      </div>
      {isCustom && (
        <Field
          label="Resolutions"
          help="Sizes such as 1280x720, separated by commas. Leave empty to keep the video’s size."
          error={isSizeList(value) ? null : 'Enter sizes such as 1280x720, separated by commas.'}
        >
          {(described) => (
            <input
              {...described}
              type="text"
              className="numbers input w-full"
              placeholder="1280x720, 640x360"
              autoComplete="off"
              value={value}
              onChange={(event) => onValue(event.target.value)}
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}

/** Up to five suggestions and 'Custom' take two lines. */
const CHIPS = 'grid grid-cols-[repeat(auto-fill,minmax(5rem,1fr))] gap-1.5';
const CHIP =
  'h-7 cursor-pointer rounded-md border border-edge text-xs hover:border-quiet max-sm:h-10';

const SHAPES = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** The placeholders of the suggestions until the size of the video is known. */
export const ResolutionShapes = () => (
  <div aria-hidden className={CHIPS}>
    {SHAPES.map((shape) => (
      <span key={shape} className="skeleton h-7 rounded-md max-sm:h-10" />
    ))}
  </div>
);

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
