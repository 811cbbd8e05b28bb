import { type ComponentProps, type ReactNode, useId } from 'react';

/** The attributes that connect a control with the label, help and error of its Field. */
type Described = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

/** A control with a label above it, and below it help and its error, which is announced. */
export function Field({
  label,
  help,
  error,
  children,
}: {
  label: string;
  help?: ReactNode;
  error?: string | null;
  children: (described: Described) => ReactNode;
}) {
  const id = useId();
  const notes = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': notes || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {help && (
        <p id={`${id}-help`} className="text-xs text-pretty text-quiet">
          {help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="text-xs text-error">
          {error}
        </p>
      )}
    </div>
  );
}

type Props = Omit<ComponentProps<'input'>, 'onChange' | 'value'> & {
  label: string;
  value: string;
  onValue: (value: string) => void;
  help?: ReactNode;
  error?: string | null;
};

/** A text field with one line. */
export function TextField({ label, help, error, onValue, className = '', ...rest }: Props) {
  return (
    <Field label={label} help={help} error={error}>
      {(described) => (
        <input
          type="text"
          {...rest}
          {...described}
          className={`input w-full ${error ? 'input-error' : ''} ${className}`}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}
