import { focusFirst } from '../../ui/focus.ts';
import { TextField } from '../../ui/form/text-field.tsx';

/** The address of an account, as the first field of a form. */
export function EmailField(props: { value: string; onValue: (email: string) => void }) {
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
