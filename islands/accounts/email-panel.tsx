import { useMutation, useQueryClient } from '@tanstack/react-query';
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

/** The email: its change is confirmed with a code sent to the new address. */
export function EmailPanel({ email }: { email: string }) {
  const [next, setNext] = useState('');
  const [step, setStep] = useState<0 | 1>(0);
  const client = useQueryClient();

  const send = () => sendCode({ subject: 'change-email', email: next });
  const request = useMutation({ mutationFn: send, onSuccess: () => setStep(1) });
  const finish = useMutation({
    mutationFn: (code: string) => changeEmail(next, code),
    onSuccess: async () => {
      setEmail(next);
      showViewer(next);
      setNext('');
      setStep(0);
      notify.success(`Your email is now ${next}.`);
      await client.invalidateQueries({ queryKey: PROFILE_KEY });
    },
  });

  return (
    <Panel
      title="Email Address"
      text="You log in with it. A code sent to the new one confirms a change."
    >
      {step === 1 ? (
        <PanelCode
          email={next}
          purpose="change-email"
          finish={finish}
          send={send}
          onBack={() => {
            finish.reset();
            setStep(0);
          }}
        />
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
