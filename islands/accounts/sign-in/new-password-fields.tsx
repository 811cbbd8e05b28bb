import type { Ref } from 'react';
import { PASSWORD_MIN } from '../../../server/contract/limits.ts';
import { PasswordField } from '../../ui/form/password-field.tsx';

export type NewPassword = { password: string; confirmation: string };
export const NO_PASSWORD: NewPassword = { password: '', confirmation: '' };

/**
 * A new password, twice. `email` is for the password manager, which has to know whose it is; the
 * field that tells it is not for people.
 */
export function NewPasswordFields({
  ref,
  email,
  value,
  onValue,
}: {
  ref?: Ref<HTMLInputElement>;
  email: string;
  value: NewPassword;
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
        onValue={(confirmation) => onValue({ ...value, confirmation })}
      />
    </>
  );
}
