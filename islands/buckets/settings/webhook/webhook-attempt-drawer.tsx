import { useQuery } from '@tanstack/react-query';
import type { WebhookAttemptDetailWire } from '../../../../server/contract/wire.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Time } from '../../../ui/date/time.tsx';
import { Code, DetailDrawer, Fact, Facts } from '../../../ui/dialog/drawer.tsx';
import { Button } from '../../../ui/form/button.tsx';
import type { OpenItem } from '../../../ui/use-opened.ts';
import { getWebhookAttempt, webhookAttemptKey } from '../settings-calls.ts';
import { WebhookAttemptStatus } from './webhook-attempt-table.tsx';

/** One delivery: what was sent, and what came back. */
export function WebhookAttemptDrawer({
  bucketId,
  opened,
  ids,
  replaying,
  onReplay,
}: {
  bucketId: string;
  opened: OpenItem;
  /** The deliveries of the list, in its order. */
  ids: string[];
  /** The id of the delivery that is being sent again. */
  replaying: string | null;
  onReplay: (id: string) => void;
}) {
  const { id, neighboursIn, close } = opened;
  const detail = useQuery({
    queryKey: webhookAttemptKey(bucketId, id ?? ''),
    queryFn: () => getWebhookAttempt(bucketId, id ?? ''),
    enabled: id !== null,
  });
  return (
    <DetailDrawer
      open={id !== null}
      title={detail.data?.type ?? 'Delivery'}
      what="delivery"
      detail={detail}
      neighbours={neighboursIn(ids)}
      onClose={close}
    >
      {(attempt) => (
        <>
          <AttemptFacts attempt={attempt} />
          <Button
            className="self-start"
            pending={replaying === attempt.id}
            onClick={() => onReplay(attempt.id)}
          >
            Replay
          </Button>
          <Block title="Response" text={attempt.response} empty="None yet." />
          <Block
            title="Request headers"
            text={attempt.request_headers && headerLines(attempt.request_headers)}
            empty="Nothing was sent."
          />
          <Block title="Payload" text={indented(attempt.payload)} copy={attempt.payload} empty="" />
        </>
      )}
    </DetailDrawer>
  );
}

const AttemptFacts = ({ attempt }: { attempt: WebhookAttemptDetailWire }) => (
  <Facts>
    <Fact name="Status">
      <WebhookAttemptStatus row={attempt} />
    </Fact>
    <Fact name="Attempts">
      <span className="numbers">{attempt.attempts}</span>
    </Fact>
    <Fact name="Created at">
      <Time iso={attempt.date} withTime />
    </Fact>
    {attempt.attempted && (
      <Fact name="Last attempt">
        <Time iso={attempt.attempted} withTime />
      </Fact>
    )}
    {attempt.request_url && (
      <Fact name="URL">
        <Code text={attempt.request_url} label="Copy URL" />
      </Fact>
    )}
    <Fact name="webhook-id">
      <Code text={attempt.id} label="Copy webhook-id" />
    </Fact>
  </Facts>
);

/** A text in lines, with a button that copies it, or what is written where there is none. */
const Block = ({
  title,
  text,
  copy = text,
  empty,
}: {
  title: string;
  text: string | null;
  copy?: string | null;
  empty: string;
}) => (
  <section aria-label={title} className="border-t border-base-300 pt-4">
    <div className="flex h-8 items-center justify-between">
      <h3 className="font-medium">{title}</h3>
      {copy && <CopyButton text={copy} label={`Copy ${title.toLowerCase()}`} />}
    </div>
    {text ? (
      <pre className="mt-1 rounded-md border border-base-300 bg-base-100 p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
        {text}
      </pre>
    ) : (
      <p className="text-quiet">{text === '' ? 'Empty.' : empty}</p>
    )}
  </section>
);

const headerLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Returns JSON with a line for each property. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
