import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EMAIL_MAX } from '../../../server/contract/limits.ts';
import { showAccountLabel } from '../../page/top-bar.ts';
import { setEmail } from '../../runtime/auth.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PanelCode, useCodedChange } from './coded-change.tsx';
import { changeEmail, PROFILE_KEY, sendCode } from './profile-calls.ts';

const NEW_EMAIL_REQUIRED =
  'A new email address is required to continue. Please provide a valid email.';

/** The email: its change is confirmed with a code sent to the new address. */
export function EmailPanel({ email }: { email: string }) {
  const [next, setNext] = useState('');
  const client = useQueryClient();

  const { request, codeStep } = useCodedChange({
    send: () => sendCode({ subject: 'change-email', email: next }),
    change: (code) => changeEmail(next, code),
    onChanged() {
      setEmail(next);
      showAccountLabel(next);
      setNext('');
      notify.success(`Your email address is now ${next}.`);
      return client.invalidateQueries({ queryKey: PROFILE_KEY });
    },
  });

  return (
    <Panel
      title="Email Address"
      text="You use this address to log in. We’ll email a code to the new address to confirm a change."
    >
      {codeStep ? (
        <PanelCode email={next} purpose="change-email" {...codeStep} />
      ) : (
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (next === '') notify.error(NEW_EMAIL_REQUIRED);
            else request.mutate();
          }}
        >
          <TextField
            label="Current email"
            type="email"
            readOnly
            className="text-quiet"
            value={email}
            onValue={() => {}}
          />
          <TextField
            label="New email"
            type="email"
            autoComplete="off"
            required
            maxLength={EMAIL_MAX}
            value={next}
            onValue={(value) => setNext(value.trim())}
          />
          <Button type="submit" className="btn-primary self-start" pending={request.isPending}>
            Save Changes
          </Button>
        </form>
      )}
    </Panel>
  );
}
