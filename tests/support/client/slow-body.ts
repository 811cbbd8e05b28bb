/** A request body that a test sends bit by bit. */
export function slowBody(...start: (string | Uint8Array)[]) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
    },
  });
  const send = (...parts: (string | Uint8Array)[]) => {
    for (const part of parts) controller?.enqueue(Buffer.from(part as never));
  };
  send(...start);
  return {
    body,
    send,
    end: () => controller?.close(),
    /** Ends it as a lost connection does. */
    cut: () => controller?.error(new Error('The connection was cut.')),
  };
}

const BOUNDARY = 'boundary';

export const FORM_HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
export const NEXT_PART = `\r\n--${BOUNDARY}\r\n`;
export const FORM_END = `\r\n--${BOUNDARY}--\r\n`;

/** Returns the start of a form, with its fields and the header of its first file. */
export function formStart(fields: Record<string, string | number>, file = 'file'): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`,
  );
  return `--${BOUNDARY}\r\n${[...parts, fileHeader(file)].join(NEXT_PART)}`;
}

/** Returns the header of a file in a form. */
export const fileHeader = (field: string): string =>
  `Content-Disposition: form-data; name="${field}"; filename="${field}"\r\n\r\n`;
