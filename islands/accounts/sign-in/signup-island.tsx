import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { PASSWORD_MIN } from '../../../server/contract/limits.ts';
import { MESSAGES } from '../../../server/contract/messages.ts';
import { signIn } from '../../runtime/auth.ts';
import { Button } from '../../ui/form/button.tsx';
import { useFormError } from '../../ui/form/form-error.ts';
import { requestSignup, verify } from '../account-calls.ts';
import { AccountCard, QuietLink } from '../card.tsx';
import { EmailField, PasswordField } from './account-fields.tsx';
import { newCodeSent } from './code-field.tsx';
import { CodeStep } from './code-step.tsx';

const EMPTY = { email: '', password: '', confirmation: '' };

/** Signs up with a form, then with a code that proves the email address. */
export default function SignupIsland() {
  const [form, setForm] = useState(EMPTY);
  const [step, setStep] = useState<'form' | 'code'>('form');
  const { email, password } = form;

  const request = useMutation({
    mutationFn: () => requestSignup(email, password),
    onSuccess: () => setStep('code'),
  });
  const finish = useMutation({
    mutationFn: (code: string) => verify(email, code),
    onSuccess: (session) => {
      signIn(session);
      location.assign('/dashboard');
    },
  });

  const formError = useFormError(request);
  const isAboutEmail = formError.error !== null && !/password/i.test(formError.error);
  const links = (
    <>
      <QuietLink href="/login">Log in</QuietLink>
      <QuietLink href="/">Home</QuietLink>
    </>
  );

  if (step === 'code') {
    return (
      <CodeStep
        title="Verify your email address"
        email={email}
        purpose="signup"
        action="Verify"
        finish={finish}
        resent={newCodeSent(email)}
        back="Change it"
        onBack={() => {
          finish.reset();
          setForm(EMPTY);
          setStep('form');
        }}
        links={links}
      />
    );
  }

  const set = (field: keyof typeof EMPTY) => (value: string) => {
    formError.clear();
    setForm((form) => ({ ...form, [field]: value }));
  };

  return (
    <AccountCard
      title="Create your account"
      text="We’ll email you a code to verify your address."
      links={links}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (password === form.confirmation) request.mutate();
          else formError.report(MESSAGES.passwordsDiffer);
        }}
      >
        <EmailField
          value={email}
          error={isAboutEmail ? formError.error : null}
          onValue={set('email')}
        />
        <PasswordField
          label="Password"
          autoComplete="new-password"
          help={`Must be at least ${PASSWORD_MIN} characters long.`}
          minLength={PASSWORD_MIN}
          value={password}
          onValue={set('password')}
        />
        <PasswordField
          label="Confirm password"
          autoComplete="new-password"
          value={form.confirmation}
          error={isAboutEmail ? null : formError.error}
          onValue={set('confirmation')}
        />
        <Button type="submit" className="btn-primary mt-2" pending={request.isPending}>
          Sign up
        </Button>
      </form>
    </AccountCard>
  );
}
