import { useMutation } from '@tanstack/react-query';
import { Button } from '../../ui/form/button.tsx';
import { undoEmailChange } from '../account-calls.ts';
import { AccountCard, QuietLink } from '../card.tsx';

/**
 * Returns the token of the mailed link and removes it from the URL, so that it does not stay in the
 * history or visible on the screen.
 */
function takeLinkToken(): string | null {
  const token = new URLSearchParams(location.search).get('token');
  if (token !== null) history.replaceState(null, '', location.pathname);
  return token;
}

/** The module reads the token once, as components may render twice. The server has no URL to read. */
const linkToken = typeof location === 'undefined' ? null : takeLinkToken();

/** The page that the notice about a changed address links to. Its button undoes the change. */
export default function UndoEmailChangeIsland() {
  const undo = useMutation({ mutationFn: () => undoEmailChange(linkToken ?? '') });
  const links = (
    <>
      <QuietLink href="/forgot-password">Forgot your password?</QuietLink>
      <QuietLink href="/">Home</QuietLink>
    </>
  );

  if (undo.data) {
    return (
      <AccountCard
        title="Change undone"
        text={
          <span role="status">
            You log in with{' '}
            <b className="font-medium wrap-anywhere text-base-content">{undo.data.email}</b> again.
            All sessions have ended.
          </span>
        }
        links={links}
      >
        <p>
          Someone else was able to log in and change your address. Set a new password with “Forgot
          your password?”.
        </p>
        <a href="/login" className="btn btn-primary mt-5 w-full">
          Login
        </a>
      </AccountCard>
    );
  }

  return (
    <AccountCard
      title="Undo the email change"
      text="Your account switches back to the address that received this link, and all sessions end."
      links={links}
    >
      {undo.error && (
        <p role="alert" className="mb-4 text-error">
          {undo.error.message}
        </p>
      )}
      <Button className="btn-primary w-full" pending={undo.isPending} onClick={() => undo.mutate()}>
        Undo the change
      </Button>
    </AccountCard>
  );
}
