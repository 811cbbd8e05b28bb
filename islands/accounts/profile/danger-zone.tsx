import { logout } from '../../runtime/auth.ts';
import { endSession } from '../../runtime/session.ts';
import { deletionImpactText } from '../deletion-impact.ts';
import { Deletion } from './deletion.tsx';
import { deleteAccount, getLoss } from './profile-calls.ts';

/** The end of the account. */
export function DangerZone({ email }: { email: string }) {
  return (
    <Deletion
      name="Delete Account"
      text="This permanently deletes your account, its buckets, files and sessions. This can’t be undone."
      purpose="delete-account"
      email={email}
      getLoss={getLoss}
      describe={(loss) =>
        `All data will be wiped${loss ? `: ${deletionImpactText(loss)}` : ''}. A positive balance is lost.`
      }
      remove={deleteAccount}
      leave={async () => {
        await endSession('/');
        logout();
      }}
    />
  );
}
