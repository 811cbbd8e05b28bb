import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { formatBalance } from '../../../server/contract/money.ts';
import { count, formatBytes } from '../../../server/contract/units.ts';
import { logout } from '../../runtime/auth.ts';
import { setFlashMessage } from '../../runtime/flash-message.ts';
import { endSession } from '../../runtime/session.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { deleteAccount, getDeletionImpact, sendConfirmationCode } from '../account-calls.ts';
import { CodeField, newCodeSent, ResendCode, refusedCode } from '../sign-in/code-field.tsx';

/**
 * The danger zone of a page. Its button mails a code and opens a dialog that says what will be deleted
 * and asks for the code.
 */
export function Deletion<Loss>(props: {
  /** The label of the button and title of the dialog, such as 'Delete Account'. */
  name: string;
  text: ReactNode;
  /** What the code confirms. */
  confirmation: { subject: 'delete-account' } | { subject: 'delete-bucket'; bucket_id: string };
  /** The address that the code is mailed to. */
  email: string;
  getLoss: () => Promise<Loss>;
  describe: (loss: Loss | undefined) => string;
  remove: (code: string) => Promise<unknown>;
  /** Leaves the page after the deletion. The dialog stays busy until then. */
  leave: () => unknown;
}) {
  const { name, confirmation, email } = props;
  const [open, setOpen] = useState(false);
  const [code, setCode] = useState('');

  const request = useMutation({
    mutationFn: async () => {
      const loss = await props.getLoss();
      await sendConfirmationCode(confirmation);
      return loss;
    },
    onSuccess: () => {
      setCode('');
      setOpen(true);
    },
  });
  const finish = useMutation({
    mutationFn: props.remove,
    onSuccess: () => props.leave(),
  });
  const busy = finish.isPending || finish.isSuccess;
  const close = () => {
    setOpen(false);
    finish.reset();
  };

  return (
    <>
      <Panel danger title="Danger Zone">
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4">
          <p className="min-w-0 max-w-prose basis-72 grow text-pretty">{props.text}</p>
          <Button
            className="btn-error"
            pending={request.isPending}
            onClick={() => request.mutate()}
          >
            {name}
          </Button>
        </div>
      </Panel>
      <Dialog
        open={open}
        locked={busy}
        title={name}
        text={props.describe(request.data)}
        onClose={close}
      >
        <form
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            finish.mutate(code);
          }}
        >
          <CodeField
            label="Code"
            value={code}
            onValue={setCode}
            refused={refusedCode(finish)}
            email={email}
            purpose={confirmation.subject}
            help={`We sent a 6-digit code to ${email}. It may be in your spam folder.`}
          />
          <div className="flex flex-wrap items-center justify-between gap-2">
            <ResendCode
              email={email}
              purpose={confirmation.subject}
              toastText={newCodeSent(email)}
              send={() => sendConfirmationCode(confirmation)}
              onSent={() => setCode('')}
            />
            <div className="ml-auto flex gap-2">
              <Button className="btn-ghost" disabled={busy} onClick={close}>
                Cancel
              </Button>
              <Button type="submit" className="btn-error" pending={busy}>
                Delete
              </Button>
            </div>
          </div>
        </form>
      </Dialog>
    </>
  );
}

/** The deletion of the account. */
export function DangerZone({ email }: { email: string }) {
  return (
    <Deletion
      name="Delete Account"
      text="This permanently deletes your account, its buckets, files and sessions. This can’t be undone."
      confirmation={{ subject: 'delete-account' }}
      email={email}
      getLoss={getDeletionImpact}
      describe={(loss) =>
        `All data will be wiped${loss ? `: ${deletionImpactText(loss)}` : ''}. Any remaining balance is lost.${refundText(loss)}`
      }
      remove={deleteAccount}
      leave={async () => {
        setFlashMessage({ kind: 'success', text: 'Your account was deleted.' });
        await endSession('/');
        logout();
      }}
    />
  );
}

/** Says how to get back what was paid and is not used, where that is at least a cent. */
const refundText = (loss: { paid_credit: number; contact: string } | undefined) =>
  loss && loss.paid_credit >= 0.01
    ? ` You have paid ${formatBalance(loss.paid_credit)} that you haven’t used. To ask for a refund, write to ${loss.contact} before you delete your account.`
    : '';

type Loss = { buckets?: number; files: number; bytes: number };

/** Returns what a deletion deletes, in numbers: '3 buckets, 12 files, 1.42 GiB'. */
export const deletionImpactText = ({ buckets, files, bytes }: Loss) =>
  [
    ...(buckets === undefined ? [] : [count(buckets, 'bucket')]),
    count(files, 'file'),
    formatBytes(bytes),
  ].join(', ');
