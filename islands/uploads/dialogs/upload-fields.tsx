import ImageIcon from 'lucide-react/icons/image';
import X from 'lucide-react/icons/x';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { truncate } from '../../../server/contract/units.ts';
import type { Access } from '../../../server/contract/wire.ts';
import { Field } from '../../ui/form/field.tsx';

/** Lets the user choose one image, and remove it again. */
export function FileField(props: {
  label: string;
  help: ReactNode;
  accept: string;
  onFile: (file: File | null) => void;
}) {
  const [file, setFile] = useState<File | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const take = (selected: File | null) => {
    setFile(selected);
    props.onFile(selected);
  };
  return (
    <Field label={props.label} help={props.help}>
      {(described) => (
        <div className="relative flex h-10 items-center max-sm:h-11 gap-2 rounded-md border border-dashed border-quiet px-3 text-quiet has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary focus-within:border-primary focus-within:text-base-content hover:border-primary hover:text-base-content">
          <ImageIcon size={16} aria-hidden className="shrink-0" />
          <span aria-hidden className="min-w-0 truncate">
            {file ? (
              <span className="text-base-content">{truncate(file.name)}</span>
            ) : (
              'Choose an image'
            )}
          </span>
          <input
            {...described}
            ref={input}
            type="file"
            accept={props.accept}
            className="absolute inset-0 size-full cursor-pointer rounded-md opacity-0"
            onChange={({ target }) => take(target.files?.[0] ?? null)}
          />
          {file && (
            <button
              type="button"
              className="btn btn-ghost btn-square btn-sm relative -mr-2.5 ml-auto"
              aria-label={`Remove ${file.name}`}
              onClick={() => {
                if (input.current) input.current.value = '';
                take(null);
                input.current?.focus();
              }}
            >
              <X size={16} aria-hidden />
            </button>
          )}
        </div>
      )}
    </Field>
  );
}

export function AccessField({
  value,
  onValue,
}: {
  value: Access;
  onValue: (value: Access) => void;
}) {
  return (
    <Field
      label="Access control"
      help={
        value === 'public'
          ? 'Anyone with the URL can open it.'
          : 'Only people with a signed URL can open it.'
      }
    >
      {(described) => (
        <select
          {...described}
          className="select w-full"
          value={value}
          onChange={(event) => onValue(event.target.value === 'private' ? 'private' : 'public')}
        >
          <option value="public">Public</option>
          <option value="private">Private</option>
        </select>
      )}
    </Field>
  );
}

/** Whether uploads replace the files that are at their paths. */
export const ReplaceField = ({
  checked,
  onChecked,
}: {
  checked: boolean;
  onChecked: (checked: boolean) => void;
}) => (
  <CheckboxField
    label="Replace existing files"
    help="Replaces files of the same name in the same folder. Otherwise, new files get a number."
    checked={checked}
    onChecked={onChecked}
  />
);

/** The state is `indeterminate` if the checkbox stands for several others that differ. */
export type Checked = boolean | 'indeterminate';

/** Returns the state of a checkbox that stands for several others. */
export const allOrSome = (checked: boolean[]): Checked => {
  if (checked.every(Boolean)) return true;
  return checked.some(Boolean) ? 'indeterminate' : false;
};

/** A checkbox with three states, its label beside it and help below. */
export function CheckboxField(props: {
  label: string;
  help: string;
  checked: Checked;
  onChecked: (checked: boolean) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  // HTML has no attribute for the third state. Browsers report it to screen readers as 'mixed'.
  useEffect(() => {
    if (input.current) input.current.indeterminate = props.checked === 'indeterminate';
  }, [props.checked]);
  return (
    <div className="relative flex items-start gap-3">
      <input
        ref={input}
        id={id}
        type="checkbox"
        className="checkbox checkbox-sm checkbox-primary relative z-1 mt-px"
        aria-describedby={`${id}-help`}
        checked={props.checked === true}
        onChange={(event) => props.onChecked(event.target.checked)}
      />
      <div>
        <label
          htmlFor={id}
          // The label covers the whole field, so that a press on the help text counts as well.
          className="cursor-pointer font-medium after:absolute after:inset-0"
        >
          {props.label}
        </label>
        <p id={`${id}-help`} className="text-xs text-pretty text-quiet">
          {props.help}
        </p>
      </div>
    </div>
  );
}
