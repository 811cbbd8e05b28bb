import { t } from 'elysia';
import { EMAIL_MAX, PASSWORD_MAX, PASSWORD_MIN } from '../limits.ts';
import { byteCount, described, named, nullableText, oneOf, wholeNumber } from './fields.ts';

const email = t.String({
  minLength: 3,
  maxLength: EMAIL_MAX,
  error: 'email is missing or not valid.',
});
const newPassword = t.String({
  minLength: PASSWORD_MIN,
  maxLength: PASSWORD_MAX,
  error: `The password must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`,
});
const password = t.String({ minLength: 1, maxLength: PASSWORD_MAX });
/**
 * A mailed code, which the API takes as a number. Codes start at 100000, but what was typed wrongly may
 * start with zeros, and must get the response and count the try of any other wrong code.
 */
export const code = t.Integer({
  minimum: 0,
  maximum: 999999,
  error: 'The code must be a 6-digit number.',
});
const PURPOSES = ['login', 'signup', 'recovery'] as const;
const purpose = oneOf(PURPOSES, { error: 'The purpose must be login, signup or recovery.' });

/** The purpose of any mailed code. */
const anyPurpose = oneOf(
  [...PURPOSES, 'change-email', 'change-password', 'delete-account', 'delete-bucket'],
  { error: 'The purpose is not valid.' },
);

export const SignupBody = named('SignUpRequest', t.Object({ email, password: newPassword }));
export const VerifyBody = named('VerifyRequest', t.Object({ email, email_token: code }));
export const LoginBody = named(
  'LogInRequest',
  t.Object({
    email,
    password,
    email_token: code,
    trust_browser: described(
      'Sets a cookie by which this browser logs in without a code, for as many days as the server allows.',
      t.Optional(t.Boolean()),
    ),
  }),
);
export const TrustedLoginBody = named('TrustedLogInRequest', t.Object({ email, password }));
export const SendCodeParams = t.Object({ p1: email, p2: purpose });
export const SendCodeBody = named('SendCodeRequest', t.Object({ password }));
export const MailStatusQuery = t.Object({ email, purpose: anyPurpose });
export const MailStatusResponse = named('MailStatus', t.Object({ failed: t.Nullable(t.String()) }));
/**
 * A new session. The pages keep it in local storage under `auth`, with `token` renamed to `access`.
 */
export const SessionResponse = named(
  'Session',
  t.Object({
    token: t.String(),
    userId: t.String(),
    exp: described('The expiry in epoch seconds.', wholeNumber()),
    email: t.String(),
  }),
);

export const ProfileResponse = named('Profile', t.Object({ email: t.String() }));
export const RequestCodeBody = named(
  'ConfirmationCodeRequest',
  t.Object(
    {
      subject: oneOf(['delete-account', 'delete-bucket', 'change-password', 'change-email'], {
        error: 'subject must be delete-account, delete-bucket, change-password or change-email.',
      }),
      email: t.Optional(email),
      bucket_id: described(
        'For delete-bucket: the code deletes no other bucket.',
        t.Optional(t.String()),
      ),
    },
    { contentType: 'multipart/form-data' },
  ),
);
export const ChangeEmailBody = named('UpdateEmailRequest', t.Object({ email, email_token: code }));
export const UndoBody = named(
  'UndoEmailChangeRequest',
  t.Object({
    token: t.String({ pattern: '^[A-Za-z0-9_-]{43}$', error: 'The link is incomplete.' }),
  }),
);
export const ChangePasswordBody = named(
  'UpdatePasswordRequest',
  t.Object({
    password: newPassword,
    email_token: t.Optional(code),
  }),
);
export const ConfirmPasswordBody = named('ConfirmPasswordRequest', t.Object({ password }));
export const ContentsResponse = named(
  'AccountContents',
  t.Object({
    empty: t.Boolean(),
    buckets: wholeNumber(),
    files: wholeNumber(),
    bytes: byteCount(),
    paid_credit: t.Number({
      description: 'What was paid and is not used, in USD. It is lost with the account.',
    }),
    contact: t.String({ description: 'The email address to ask for it.' }),
  }),
);
export const DeleteAccountBody = named('DeleteAccountRequest', t.Object({ token: code }));
const country = described(
  'The country of the address (ISO 3166-1 alpha-2), where a proxy of the server tells it; else null.',
  nullableText,
);

export const TrustedBrowserListResponse = named(
  'TrustedBrowserList',
  t.Object({
    data: t.Array(
      t.Object({
        id: t.String(),
        device: t.String(),
        address: t.String(),
        country,
        date: described('Since when it is trusted, in ISO 8601 and UTC.', t.String()),
        last_used: described('When it last logged in, in ISO 8601 and UTC.', t.String()),
        expires: described('Until when it is trusted, in ISO 8601 and UTC.', t.String()),
        current: described('Whether the request came from it.', t.Boolean()),
      }),
    ),
  }),
);

export const LoginListResponse = named(
  'LoginList',
  t.Object({
    data: t.Array(
      t.Object({
        id: described('The id of the session that the login started.', t.String()),
        method: described(
          'signup, code (the password and an emailed code), trusted-browser (the password in a trusted browser), or recovery; null for a login before the server recorded it.',
          nullableText,
        ),
        device: t.String(),
        address: t.String(),
        country,
        date: described('When it was, in ISO 8601 and UTC.', t.String()),
        active: described('Whether its session is still open.', t.Boolean()),
        current: described('Whether its session is the one of the request.', t.Boolean()),
      }),
    ),
  }),
);

export const SessionListResponse = named(
  'SessionList',
  t.Object({
    data: t.Array(
      t.Object({
        id: t.String(),
        device: t.String(),
        address: t.String(),
        country,
        date: t.String(),
        last_seen: t.String(),
        current: t.Boolean(),
      }),
    ),
  }),
);
