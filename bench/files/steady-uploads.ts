/*
 * Uploads files of 1 KiB at a steady rate, one after the other, until its standard input ends. It prints a line
 * after the first one.
 */
import { form } from '../../tests/support/client/api.ts';

const [url = '', key = '', perSecond = ''] = process.argv.slice(2);
const bytes = new Blob([crypto.getRandomValues(new Uint8Array(1024))]);
let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

let next = performance.now();
for (let count = 0; !isOver; count += 1) {
  const body = form({ access: 'public', path: `uploads/${count}-${next}.bin` }, bytes, 'a.bin');
  const response = await fetch(url, { method: 'POST', headers: { 'x-api-key': key }, body });
  if (response.status !== 201)
    throw new Error(`${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
  if (count === 0) console.log('uploading');
  next += 1000 / Number(perSecond);
  await Bun.sleep(Math.max(0, next - performance.now()));
}
process.exit(0);
