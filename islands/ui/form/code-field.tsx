import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Field } from './field.tsx';

const DIGITS = 6;

/** Keeps what a code is made of: a pasted '123 456' is one too. */
export const digitsOf = (text: string) => text.replace(/\D/g, '').slice(0, DIGITS);

/** The code that a call was refused with; null where it was not. */
export const refusedCode = (call: { isError: boolean; variables: string | undefined }) =>
  call.isError ? (call.variables ?? null) : null;

/** An emailed code: one field, which phones and password managers fill in by themselves. */
export function CodeField({
  label,
  value,
  onValue,
  onComplete,
  refused = null,
  help,
}: {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Called with the sixth digit, in flows that need no button. */
  onComplete?: (value: string) => void;
  /** The code that was refused: while it stands there it is selected, so that typing replaces it. */
  refused?: string | null;
  help?: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  // Together with what is said of it: whoever reads that types at once. Who has begun to mend the code
  // meanwhile goes on with that.
  useLayoutEffect(() => {
    if (refused !== null && input.current?.value === refused) input.current.select();
  }, [refused]);
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
