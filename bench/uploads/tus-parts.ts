/** Sends the beginning of a file again and again as parts of one tus upload, and prints the seconds. */
const [endpoint = '', key = '', path = '', partBytes = '', count = ''] = process.argv.slice(2);
const part = new Uint8Array(await Bun.file(path).slice(0, Number(partBytes)).arrayBuffer());
const headers = { 'tus-resumable': '1.0.0', 'x-api-key': key };
const parts = Number(count);

const created = await fetch(endpoint, {
  method: 'POST',
  // The last byte is never sent, because the measurement is about receiving bytes and not about processing
  // a file.
  headers: { ...headers, 'upload-length': String(parts * part.length + 1) },
});
const url = created.headers.get('location') ?? '';
const started = performance.now();
for (let index = 0; index < parts; index += 1) {
  const response = await fetch(url, {
    method: 'PATCH',
    headers: {
      ...headers,
      'upload-offset': String(index * part.length),
      'content-type': 'application/offset+octet-stream',
    },
    body: part,
  });
  if (response.status !== 204)
    throw new Error(`${url}: ${response.status} ${await response.text()}`);
}
process.stdout.write(String((performance.now() - started) / 1000));
