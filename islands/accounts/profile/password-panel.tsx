import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { updatePassword } from '../calls.ts';
import {
  NewPasswordFields,
  NO_PASSWORD,
  PASSWORDS_DO_NOT_MATCH,
} from '../sign-in/account-fields.tsx';
import { PanelCode, useCodedChange } from './coded-change.tsx';
import { SESSIONS_KEY, sendCode } from './profile-calls.ts';

/** The password: its change is confirmed with a mailed code, and ends the other sessions. */
export function PasswordPanel({ email }: { email: string }) {
  const [form, setForm] = useState(NO_PASSWORD);
  const client = useQueryClient();

  const { request, codeStep } = useCodedChange({
    send: () => sendCode({ subject: 'change-password' }),
    change: (code) => updatePassword({ password: form.password, code }),
    onChanged() {
      setForm(NO_PASSWORD);
      notify.success('Password changed. All other sessions were logged out.');
      return client.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
  });

  return (
    <Panel
      title="Password"
      text="We’ll email you a code to confirm the change. All other sessions will be logged out."
    >
      {codeStep ? (
        <PanelCode email={email} purpose="change-password" {...codeStep} />
      ) : (
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (form.password === form.confirmation) request.mutate();
            else notify.error(PASSWORDS_DO_NOT_MATCH);
          }}
        >
          <NewPasswordFields email={email} value={form} onValue={setForm} />
          <Button type="submit" className="btn-primary self-start" pending={request.isPending}>
            Update password
          </Button>
        </form>
      )}
    </Panel>
  );
}
