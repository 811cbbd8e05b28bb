import Eye from 'lucide-react/icons/eye';
import EyeOff from 'lucide-react/icons/eye-off';
import { type ReactNode, type Ref, useState } from 'react';
import { Field } from './field.tsx';

/** A password, hidden until one asks to see it. */
export function PasswordField({
  ref,
  label,
  value,
  onValue,
  autoComplete,
  minLength,
  help,
}: {
  ref?: Ref<HTMLInputElement>;
  label: string;
  value: string;
  onValue: (value: string) => void;
  autoComplete: 'current-password' | 'new-password';
  minLength?: number;
  help?: ReactNode;
}) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <Field label={label} help={help}>
      {(described) => (
        <div className="relative">
          <input
            {...described}
            ref={ref}
            type={shown ? 'text' : 'password'}
            className="input w-full pr-10"
            autoComplete={autoComplete}
            minLength={minLength}
            value={value}
            required
            onChange={(event) => onValue(event.target.value)}
          />
          <button
            type="button"
            className="absolute inset-y-0 right-0 grid w-10 cursor-pointer place-items-center rounded-md text-quiet hover:text-base-content"
            // Not "Show password": that would answer to the field's own label.
            aria-label={shown ? 'Hide characters' : 'Show characters'}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            <Icon size={16} aria-hidden />
          </button>
        </div>
      )}
    </Field>
  );
}
