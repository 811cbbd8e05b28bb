import { Elysia } from 'elysia';
import { S3DiagnosisBody, S3DiagnosisResponse } from '../../../contract/schemas/s3-keys.ts';
import { sessionDetail } from '../../../web/http/openapi-responses.ts';
import { sessionGuard } from '../../accounts/guard.ts';
import type { Accounts } from '../../accounts/service.ts';
import type { S3Diagnosis } from './service.ts';

const detail = sessionDetail('S3');

type Services = { accounts: Accounts; s3Diagnosis: Pick<S3Diagnosis, 'run'> };

/** Mounts the call that explains a request which the S3 API has refused. It needs a session. */
export const s3DiagnosisRoutes = ({ accounts, s3Diagnosis }: Services) =>
  new Elysia().use(sessionGuard(accounts)).post(
    '/s3-keys/diagnosis',
    async ({ session, body }) => ({
      findings: await s3Diagnosis.run(session.userId, body.request),
    }),
    {
      session: true,
      body: S3DiagnosisBody,
      response: S3DiagnosisResponse,
      ...detail('diagnoseRequest', 'Say what is wrong with a request that the S3 API has refused', {
        404: 'The S3 API is off.',
      }),
    },
  );
