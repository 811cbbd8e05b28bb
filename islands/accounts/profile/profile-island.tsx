import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EMAIL_MAX } from '../../../server/contract/limits.ts';
import { showAccountLabel } from '../../page/top-bar.ts';
import { setEmail } from '../../runtime/auth.ts';
import { notify } from '../../runtime/notify.ts';
import { Button } from '../../ui/form/button.tsx';
import { TextField } from '../../ui/form/field.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import {
  changeEmail,
  getProfile,
  type LoginRow,
  PROFILE_KEY,
  reloadSecurity,
  type SessionRow,
  sendConfirmationCode,
  type TrustedBrowserRow,
  updatePassword,
} from '../account-calls.ts';
import {
  NewPasswordFields,
  NO_PASSWORD,
  PASSWORDS_DO_NOT_MATCH,
} from '../sign-in/account-fields.tsx';
import { PanelCode, useCodedChange } from './coded-change.tsx';
import { DangerZone } from './deletion.tsx';
import { LoginsPanel } from './logins-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { TrustedBrowsersPanel } from './trusted-browsers-panel.tsx';

const NEW_EMAIL_REQUIRED =
  'A new email address is required to continue. Please provide a valid email.';

/**
 * A page of the user's account.
 * @param props.security what the page of the account's security was rendered with; null on the other page
 */
export default function ProfileIsland({
  email,
  security,
}: {
  email: string;
  security: {
    sessions: SessionRow[];
    browsers: TrustedBrowserRow[] | null;
    logins: LoginRow[];
  } | null;
}) {
  const profile = useQuery({
    queryKey: PROFILE_KEY,
    queryFn: getProfile,
    initialData: { email },
  });
  const current = profile.data.email;

  return security ? (
    <>
      <PageHead title="Security" text="Manage your password and where you are logged in." />
      <div className="panels">
        <PasswordPanel email={current} />
        <SessionsPanel first={security.sessions} />
        {security.browsers && <TrustedBrowsersPanel first={security.browsers} />}
        <LoginsPanel first={security.logins} />
      </div>
    </>
  ) : (
    <>
      <PageHead title="Profile" text="Manage your email address, or delete your account." />
      <div className="panels">
        <EmailPanel email={current} />
        <DangerZone email={current} />
      </div>
    </>
  );
}

/** Changes the email address, after confirmation with a code that is mailed to the new address. */
function EmailPanel({ email }: { email: string }) {
  const [next, setNext] = useState('');
  const client = useQueryClient();

  const { request, codeStep } = useCodedChange({
    send: () => sendConfirmationCode({ subject: 'change-email', email: next }),
    change: (code) => changeEmail(next, code),
    onChanged() {
      setEmail(next);
      showAccountLabel(next);
      setNext('');
      notify.success(`Your email address is now ${next}.`);
      return client.invalidateQueries({ queryKey: PROFILE_KEY });
    },
  });

  const form = useFormError(request);
  return (
    <Panel
      title="Email Address"
      text="You log in with this address. We’ll email a code to the new one to confirm a change."
    >
      {codeStep ? (
        <PanelCode email={next} purpose="change-email" {...codeStep} />
      ) : (
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (next === '') form.report(NEW_EMAIL_REQUIRED);
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
            error={form.error}
            onValue={(value) => {
              form.clear();
              setNext(value.trim());
            }}
          />
          <Button type="submit" className="btn-primary self-start" pending={request.isPending}>
            Save Changes
          </Button>
        </form>
      )}
    </Panel>
  );
}

/** Changes the password, after confirmation with a mailed code. This ends all other sessions. */
function PasswordPanel({ email }: { email: string }) {
  const [form, setForm] = useState(NO_PASSWORD);
  const client = useQueryClient();

  const { request, codeStep } = useCodedChange({
    send: () => sendConfirmationCode({ subject: 'change-password' }),
    change: (code) => updatePassword({ password: form.password, code }),
    onChanged() {
      setForm(NO_PASSWORD);
      notify.success('Password changed. All other sessions were logged out.');
      return reloadSecurity(client);
    },
  });
  const { error, report, clear } = useFormError(request);

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
            else report(PASSWORDS_DO_NOT_MATCH);
          }}
        >
          <NewPasswordFields
            email={email}
            value={form}
            error={error}
            onValue={(value) => {
              clear();
              setForm(value);
            }}
          />
          <Button type="submit" className="btn-primary self-start" pending={request.isPending}>
            Update password
          </Button>
        </form>
      )}
    </Panel>
  );
}
