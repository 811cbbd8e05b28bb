import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { signIn } from '../../runtime/auth.ts';
import { Button } from '../../ui/form/button.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { requestRecovery, updatePassword, verify } from '../account-calls.ts';
import { AccountCard, QuietLink } from '../card.tsx';
import {
  EmailField,
  focusFirst,
  NewPasswordFields,
  NO_PASSWORD,
  PASSWORDS_DO_NOT_MATCH,
} from './account-fields.tsx';
import { newCodeSent } from './code-field.tsx';
import { CodeStep } from './code-step.tsx';

const links = (
  <>
    <QuietLink href="/login">Back to Login</QuietLink>
    <QuietLink href="/">Home</QuietLink>
  </>
);

/** Resets a forgotten password in three steps: email address, mailed code, new password. */
export default function ForgotPasswordIsland() {
  const [email, setEmail] = useState('');
  const [step, setStep] = useState<'email' | 'code' | 'password'>('email');

  const request = useMutation({
    mutationFn: () => requestRecovery(email),
    onSuccess: () => setStep('code'),
  });
  const finish = useMutation({
    mutationFn: (code: string) => verify(email, code),
    onSuccess: (session) => {
      signIn(session);
      setStep('password');
    },
  });

  const formError = useFormError(request);
  if (step === 'password') return <PasswordStep email={email} />;
  if (step === 'code') {
    return (
      <CodeStep
        title="Enter your code"
        email={email}
        purpose="recovery"
        action="Next step"
        finish={finish}
        resent={newCodeSent(email)}
        back="Change it"
        onBack={() => {
          finish.reset();
          setEmail('');
          setStep('email');
        }}
        links={links}
      />
    );
  }
  return (
    <AccountCard
      title="Forgot your password?"
      text="We’ll email you a code to set a new password."
      links={links}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          request.mutate();
        }}
      >
        <EmailField
          value={email}
          error={formError.error}
          onValue={(value) => {
            formError.clear();
            setEmail(value);
          }}
        />
        <Button type="submit" className="btn-primary mt-2" pending={request.isPending}>
          Next step
        </Button>
      </form>
    </AccountCard>
  );
}

function PasswordStep({ email }: { email: string }) {
  const [form, setForm] = useState(NO_PASSWORD);
  const update = useMutation({
    mutationFn: () => updatePassword({ password: form.password }),
    onSuccess: () => location.assign('/dashboard'),
  });
  const formError = useFormError(update);
  return (
    <AccountCard
      title="Set a new password"
      text="All your other sessions will be logged out."
      links={links}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (form.password === form.confirmation) update.mutate();
          else formError.report(PASSWORDS_DO_NOT_MATCH);
        }}
      >
        <NewPasswordFields
          ref={focusFirst}
          email={email}
          value={form}
          error={formError.error}
          onValue={(value) => {
            formError.clear();
            setForm(value);
          }}
        />
        <Button
          type="submit"
          className="btn-primary mt-2"
          pending={update.isPending || update.isSuccess}
        >
          Update password
        </Button>
      </form>
    </AccountCard>
  );
}
