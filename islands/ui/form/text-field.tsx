import type { ComponentProps, ReactNode } from 'react';
import { Field } from './field.tsx';

type Props = Omit<ComponentProps<'input'>, 'onChange' | 'value'> & {
  label: string;
  value: string;
  onValue: (value: string) => void;
  help?: ReactNode;
  error?: string | null;
};

/** One line of text. */
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
