import { type QueryClient, QueryClientProvider, useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CancelledError } from '../runtime/api-error.ts';
import { useAuth } from '../runtime/auth.ts';
import { Dialog, DialogButtons } from '../ui/dialog/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { confirmPassword } from './account-calls.ts';
import { QuietLink } from './card.tsx';
import { PasswordField } from './sign-in/account-fields.tsx';

/**
 * Asks for the password in a dialog, above any other. Resolves when the server has confirmed it, and
 * rejects with CancelledError if the user closes the dialog.
 */
export function promptForPassword(client: QueryClient): Promise<void> {
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container);
  const closed = new Promise<boolean>((resolve) => {
    root.render(
      <QueryClientProvider client={client}>
        <PasswordDialog onClosed={resolve} />
      </QueryClientProvider>,
    );
  });
  return closed.then((isConfirmed) => {
    root.unmount();
    container.remove();
    if (!isConfirmed) throw new CancelledError();
  });
}

/** `onClosed` is called after the dialog has given the focus back, with whether it was confirmed. */
function PasswordDialog({ onClosed }: { onClosed: (isConfirmed: boolean) => void }) {
  const { email } = useAuth();
  const [password, setPassword] = useState('');
  const [isOpen, setOpen] = useState(true);
  const field = useRef<HTMLInputElement>(null);
  const confirm = useMutation({
    mutationFn: confirmPassword,
    meta: { isQuiet: true },
    onSuccess: () => setOpen(false),
    onError: () => field.current?.select(),
  });
  const { isSuccess, isPending, error } = confirm;
  useEffect(() => {
    if (!isOpen) onClosed(isSuccess);
  }, [isOpen, isSuccess, onClosed]);
  const close = () => setOpen(false);

  return (
    <Dialog
      open={isOpen}
      locked={isPending}
      title="Confirm your password"
      text="Enter your password to continue. You won’t be asked again for 10 minutes."
      onClose={close}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) confirm.mutate(password);
        }}
      >
        <input type="text" autoComplete="username" value={email ?? ''} readOnly hidden />
        <PasswordField
          ref={field}
          label="Password"
          autoComplete="current-password"
          value={password}
          onValue={setPassword}
          error={error?.message ?? null}
        />
        <DialogButtons>
          <span className="mr-auto">
            <QuietLink href="/forgot-password">Forgot your password?</QuietLink>
          </span>
          <Button className="btn-ghost" disabled={isPending} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" className="btn-primary" pending={isPending}>
            Confirm
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
