/** PostgreSQL's NOTIFY takes a payload "shorter than 8000 bytes", so no adapter takes more. */
const MAX_BYTES = 7999;

/** One message as text. Throws when it is too long: send ids, and let receivers fetch the rest. */
export function encodeMessage(topic: string, payload: unknown): string {
  const text = JSON.stringify([topic, payload]);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) {
    throw new Error(`An event on '${topic}' takes ${bytes} bytes, over ${MAX_BYTES}.`);
  }
  return text;
}

/** Throws for what `encodeMessage` has not made: anybody in the database may notify. */
export function decodeMessage(text: string): { topic: string; payload: unknown } {
  const message: unknown = JSON.parse(text);
  if (!Array.isArray(message) || message.length !== 2 || typeof message[0] !== 'string') {
    throw new Error('Not an event of ours.');
  }
  return { topic: message[0], payload: message[1] };
}
