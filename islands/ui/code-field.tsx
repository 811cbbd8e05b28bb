import { type ReactNode, useEffect, useRef } from 'react';
import { Field } from './field.tsx';

const DIGITS = 6;

/** Keeps what a code is made of: a pasted '123 456' is one too. */
export const digitsOf = (text: string) => text.replace(/\D/g, '').slice(0, DIGITS);

/** An emailed code: one field, which phones and password managers fill in by themselves. */
export function CodeField({
  label,
  value,
  onValue,
  onComplete,
  wrong = false,
  help,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Called with the sixth digit, in flows that need no button. */
  onComplete?: (value: string) => void;
  /** The code was refused: it is selected, so that typing replaces it. */
  wrong?: boolean;
  help?: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (wrong) input.current?.select();
  }, [wrong]);
  return (
    <Field label={label} help={help}>
      {(described) => (
        <input
          {...described}
          ref={input}
          className="input numbers h-12 w-full text-center font-mono text-xl tracking-[0.4em]"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9]{6}"
          title="The 6 digits of the code"
          required
          value={value}
          onChange={(event) => {
            const digits = digitsOf(event.target.value);
            onValue(digits);
            if (digits.length === DIGITS && digits !== value) onComplete?.(digits);
          }}
        />
      )}
    </Field>
  );
}
