import { useQuery } from '@tanstack/react-query';
import { PageHead } from '../../ui/page-head.tsx';
import { DangerZone } from './deletion.tsx';
import { EmailPanel } from './email-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { getProfile, PROFILE_KEY, type SessionRow } from './profile-calls.ts';
import { SessionsPanel } from './sessions-panel.tsx';

/** The account of the viewer: address, password, sessions as the page was made with them, and deletion. */
export default function ProfileIsland({
  email,
  sessions,
}: {
  email: string;
  sessions: SessionRow[];
}) {
  const profile = useQuery({
    queryKey: PROFILE_KEY,
    queryFn: getProfile,
    initialData: { email },
  });
  const current = profile.data.email;

  return (
    <>
      <PageHead title="Profile" text="Manage your email address, password and sessions." />
      <div className="mt-6 grid gap-4 lg:grid-cols-2">
        <EmailPanel email={current} />
        <PasswordPanel email={current} />
      </div>
      <div className="mt-4 flex flex-col gap-4">
        <SessionsPanel first={sessions} />
        <DangerZone email={current} />
      </div>
    </>
  );
}
