import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EMAIL_MAX } from '../../server/contract/limits.ts';
import { setEmail } from '../auth.ts';
import { notify } from '../notify.ts';
import { showViewer } from '../page/viewer.ts';
import { Button } from '../ui/button.tsx';
import { Panel } from '../ui/panel.tsx';
import { TextField } from '../ui/text-field.tsx';
import { PanelCode } from './panel-code.tsx';
import { changeEmail, sendCode } from './profile-calls.ts';
import { PROFILE_KEY } from './query-keys.ts';
import { NEW_EMAIL_REQUIRED } from './texts.ts';
import { useCodedChange } from './use-coded-change.ts';

/** The email: its change is confirmed with a code sent to the new address. */
export function EmailPanel({ email }: { email: string }) {
  const [next, setNext] = useState('');
  const client = useQueryClient();

  const { request, codeStep } = useCodedChange({
    send: () => sendCode({ subject: 'change-email', email: next }),
    change: (code) => changeEmail(next, code),
    onChanged() {
      setEmail(next);
      showViewer(next);
      setNext('');
      notify.success(`Your email is now ${next}.`);
      return client.invalidateQueries({ queryKey: PROFILE_KEY });
    },
  });

  return (
    <Panel
      title="Email Address"
      text="You log in with it. A code sent to the new one confirms a change."
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
