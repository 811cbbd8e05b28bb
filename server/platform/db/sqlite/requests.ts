import { BatchWriter } from './batch-writer.ts';
import { connectReader, connectWriter, type SqliteConnection } from './connection.ts';
import { Deadline } from './deadline.ts';
import { encodeReply, StepReceiver } from './messages.ts';
import { attempt, type Reply, type Request, toOutcome } from './protocol.ts';

/* What a database thread does. It has one file open at a time. */

type Open = { connection: SqliteConnection; writer: BatchWriter; deadline: Deadline };

let open: Open | undefined;
let openError: unknown = new Error('This thread has no database open.');

const receiver = new StepReceiver();

/**
 * Handles one request, and answers a text with a text where it can. Errors become part of the reply, so that a statement
 * can't end the thread.
 */
export function handleRequest(request: Request | string): Reply | string {
  if (typeof request !== 'string') return handle(request);
  const reply = handle({ type: 'write', steps: receiver.decode(request) });
  return encodeReply(reply) ?? reply;
}

function handle(request: Request): Reply {
  if (request.type === 'write') {
    if (!open) return { outcomes: request.steps.map(() => toOutcome(openError)), isLost: true };
    return open.writer.run(request.steps);
  }
  return { outcomes: [attempt(() => handleOne(request))], isLost: false };
}

function handleOne(request: Exclude<Request, { type: 'write' }>) {
  if (request.type === 'open') return openFile(request);
  if (!open) throw openError;
  if (request.type === 'close') return closeFile(open);
  const { connection, deadline } = open;
  return deadline.limit(request.timeoutMs, () => connection.run(request.query));
}

function openFile({ path, isReader }: { path: string; isReader: boolean }) {
  try {
    const connection = isReader ? connectReader(path) : connectWriter(path);
    open = {
      connection,
      writer: new BatchWriter(connection),
      deadline: new Deadline(connection.file),
    };
  } catch (error) {
    openError = error;
    throw error;
  }
  return { rows: [] };
}

function closeFile({ connection }: Open) {
  open = undefined;
  connection.close();
  return { rows: [] };
}
