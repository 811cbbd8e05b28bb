import Eye from 'lucide-react/icons/eye';
import EyeOff from 'lucide-react/icons/eye-off';
import { type ReactNode, type Ref, useState } from 'react';
import { PASSWORD_MIN } from '../../../server/contract/limits.ts';
import { Field, TextField } from '../../ui/form/field.tsx';

/** The email address of an account, as the first field of a form. */
export function EmailField(props: {
  value: string;
  error?: string | null;
  onValue: (email: string) => void;
}) {
  return (
    <TextField
      ref={focusFirst}
      label="Email"
      type="email"
      autoComplete="email"
      required
      {...props}
    />
  );
}

/** The specification's text for two passwords that differ. */
export const PASSWORDS_DO_NOT_MATCH = 'Passwords do not match!';

type NewPassword = { password: string; confirmation: string };
export const NO_PASSWORD: NewPassword = { password: '', confirmation: '' };

/**
 * A new password and its confirmation. A hidden field has the `email`, so that password managers know
 * which account the password belongs to.
 */
export function NewPasswordFields({
  ref,
  email,
  value,
  error,
  onValue,
}: {
  ref?: Ref<HTMLInputElement>;
  email: string;
  value: NewPassword;
  error: string | null;
  onValue: (value: NewPassword) => void;
}) {
  return (
    <>
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        ref={ref}
        label="New password"
        autoComplete="new-password"
        help={`Must be at least ${PASSWORD_MIN} characters long.`}
        minLength={PASSWORD_MIN}
        value={value.password}
        onValue={(password) => onValue({ ...value, password })}
      />
      <PasswordField
        label="Confirm new password"
        autoComplete="new-password"
        value={value.confirmation}
        error={error}
        onValue={(confirmation) => onValue({ ...value, confirmation })}
      />
    </>
  );
}

/**
 * A ref for the first field of a step. The field gets the focus if the button of the last step has
 * lost it, but never takes it from another element.
 */
export function focusFirst(field: HTMLInputElement | null) {
  if (document.activeElement === document.body) field?.focus({ preventScroll: true });
}

/** A password field with a button that shows its characters. */
export function PasswordField({
  ref,
  label,
  value,
  onValue,
  autoComplete,
  minLength,
  help,
  error,
}: {
  ref?: Ref<HTMLInputElement>;
  label: string;
  value: string;
  onValue: (value: string) => void;
  autoComplete: 'current-password' | 'new-password';
  minLength?: number;
  help?: ReactNode;
  error?: string | null;
}) {
  const [isVisible, setVisible] = useState(false);
  const Icon = isVisible ? EyeOff : Eye;
  return (
    <Field label={label} help={help} error={error ?? null}>
      {(described) => (
        <div className="relative">
          <input
            {...described}
            ref={ref}
            type={isVisible ? 'text' : 'password'}
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
            // A label with "password" would be mistaken for the field's own by tests and screen readers.
            aria-label={isVisible ? 'Hide characters' : 'Show characters'}
            aria-pressed={isVisible}
            onClick={() => setVisible(!isVisible)}
          >
            <Icon size={16} aria-hidden />
          </button>
        </div>
      )}
    </Field>
  );
}
