import { t } from 'elysia';
import { MAX_REPLAYED_EVENTS } from '../limits.ts';
import { described, listQuery, named, nullableText, oneOf, pageOf, wholeNumber } from './fields.ts';

export const WebhookSecretResponse = named('WebhookSecret', t.Object({ secret: t.String() }));

const EVENTS = [
  ...(['file.success', 'file.error', 'file.moved', 'file.updated'] as const),
  ...(['file.replaced', 'file.deleted', 'file.restored'] as const),
  ...(['bucket.deleted', 'webhook.test'] as const),
] as const;
const STATES = ['waiting', 'delivered', 'failed'] as const;

const type = t.Optional(oneOf([...EVENTS, ''], { error: 'type must be the name of an event.' }));

/** Which events are listed. An empty value counts as left out. */
export const WebhookAttemptListQuery = t.Object({
  ...listQuery,
  type,
  state: t.Optional(
    oneOf([...STATES, ''], { error: 'state must be waiting, delivered or failed.' }),
  ),
});

/** Which events are sent again. The state is required, so that nothing is sent again by mistake. */
export const ReplayWebhookAttemptsBody = named(
  'ReplayWebhookAttemptsRequest',
  t.Object({
    state: described(
      'undelivered are those that failed, and those that wait for their next attempt.',
      oneOf(['undelivered', ...STATES], {
        error: 'state must be undelivered, waiting, delivered or failed.',
      }),
    ),
    type,
    from: { ...listQuery.from, example: '2026-11-20' },
    to: { ...listQuery.to, example: '2026-11-21' },
    tz: { ...listQuery.tz, example: 'Europe/Berlin' },
  }),
);

export const ReplayedWebhookAttemptsResponse = named(
  'ReplayedWebhookAttempts',
  t.Object({
    replayed: described('How many events are sent again, oldest first.', wholeNumber()),
    has_more: described(
      `Whether there are others: a call sends ${MAX_REPLAYED_EVENTS} at most.`,
      t.Boolean(),
    ),
  }),
);

/** An event for the webhook, with the last attempt to deliver it. */
export const WebhookAttemptResponse = named(
  'WebhookAttempt',
  t.Object({
    id: described('The value of the header `webhook-id`.', t.String()),
    type: oneOf(EVENTS),
    state: oneOf(STATES),
    attempts: described('How many attempts were made.', wholeNumber()),
    status: described(
      'The status of the last response; null where none arrived, and then `response` says why.',
      t.Nullable(wholeNumber()),
    ),
    response: described('The beginning of the last response.', nullableText),
    date: t.String(),
    next: described(
      'The time of the next attempt, or of the one in progress; null where there will be none.',
      nullableText,
    ),
  }),
);

export const WebhookAttemptPageResponse = named(
  'WebhookAttemptPage',
  pageOf(WebhookAttemptResponse),
);

/** An event with all that its last attempt sent. */
export const WebhookAttemptDetailResponse = named(
  'WebhookAttemptDetail',
  t.Composite([
    WebhookAttemptResponse,
    t.Object({
      payload: described('The body of the request, as it is signed.', t.String()),
      request_url: described(
        'The URL of the last attempt; null where it sent nothing.',
        nullableText,
      ),
      request_headers: described(
        'The headers that the last attempt sent, by their names; null where it sent nothing.',
        t.Nullable(t.Record(t.String(), t.String())),
      ),
      attempted: described(
        'When the last attempt began, in ISO 8601 and UTC; null before the first one.',
        nullableText,
      ),
    }),
  ]),
);
