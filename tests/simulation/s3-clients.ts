import type { S3Response } from '../../server/features/s3/request.ts';
import type { KnownBucket } from './clients.ts';
import { nameContent } from './content.ts';
import { type KnownObject, textOf } from './known-objects.ts';
import type { Oracle } from './oracle.ts';
import { piecewise } from './piecewise.ts';
import { type S3Call, type S3Credentials, sendS3 } from './s3-request.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

type Options = {
  world: World;
  oracle: Oracle;
  /** Returns a process to send a request to. */
  process: () => SimulatedProcess;
  /** Returns the access key of the account. */
  key: () => S3Credentials;
};

const CUT_PROBABILITY = 0.15;
/** The body was cut, the answer of a port was lost, or the request waited until its signature was too old. */
const RETRIED = [400, 403, 409, 500, 503];

/** What clients of the S3 API do: each method is one of them, which repeats what it sends until it is answered. */
export class S3Clients {
  private contents = 0;

  constructor(private readonly options: Options) {}

  /** Starts one of them; null where all objects of the bucket are being changed. */
  plan(bucket: KnownBucket): (() => Promise<void>) | null {
    const { world, oracle } = this.options;
    const idle = oracle.objects.in(bucket.id).filter(({ isBusy }) => !isBusy);
    const object = world.pick(idle);
    const other = world.pick(idle.filter((one) => one !== object));
    if (!object) return null;
    const ways = [
      () => this.put(bucket, object),
      () => this.putInParts(bucket, object),
      () => this.delete(bucket, [object]),
      () => this.read(bucket, object),
      ...(other ? [() => this.deleteSeveral(bucket, [object, other])] : []),
      ...(other && object.content !== null ? [() => this.copy(bucket, object, other)] : []),
    ];
    return world.pick(ways) ?? null;
  }

  private put(bucket: KnownBucket, object: KnownObject): Promise<void> {
    const content = this.newContent();
    return this.change([object], content, async () => {
      const response = await this.untilAnswered(bucket, {
        ...{ method: 'PUT', target: targetOf(object), body: textOf(content) },
      });
      return response?.status === 200;
    });
  }

  private copy(bucket: KnownBucket, source: KnownObject, target: KnownObject): Promise<void> {
    const { content } = source;
    source.isBusy = true;
    const headers = { 'x-amz-copy-source': targetOf(source) };
    return this.change([target], content, async () => {
      const response = await this.untilAnswered(bucket, {
        ...{ method: 'PUT', target: targetOf(target), headers },
      });
      return response?.status === 200;
    }).finally(() => {
      source.isBusy = false;
    });
  }

  private delete(bucket: KnownBucket, objects: [KnownObject]): Promise<void> {
    return this.change(objects, null, async () => {
      const response = await this.untilAnswered(bucket, {
        ...{ method: 'DELETE', target: targetOf(objects[0]) },
      });
      return response?.status === 204;
    });
  }

  /** Repeats the request while an object could not be deleted. */
  private deleteSeveral(bucket: KnownBucket, objects: KnownObject[]): Promise<void> {
    const keys = objects.map(({ key }) => `<Object><Key>${key}</Key></Object>`).join('');
    const call = {
      method: 'POST',
      target: `/${bucket.id}?delete`,
      body: `<Delete>${keys}</Delete>`,
    };
    return this.change(objects, null, async () => {
      for (;;) {
        const response = await this.untilAnswered(bucket, call);
        if (response === null) return false;
        const text = await readText(response);
        if (response.status === 200 && !text.includes('<Error>')) return true;
        if (response.status !== 200) return false;
      }
    });
  }

  /** Sends a part twice, of which the second counts, and completes the upload. */
  private putInParts(bucket: KnownBucket, object: KnownObject): Promise<void> {
    const content = this.newContent();
    const target = targetOf(object);
    const send = (call: S3Call) => this.untilAnswered(bucket, call);
    return this.change([object], content, async () => {
      const created = await send({ method: 'POST', target: `${target}?uploads` });
      if (created?.status !== 200) return false;
      const id = /<UploadId>(.*)<\/UploadId>/.exec(await readText(created))?.[1];
      let etag = '';
      for (const body of [textOf('another'), textOf(content)]) {
        const part = `${target}?partNumber=1&uploadId=${id}`;
        const sent = await send({ method: 'PUT', target: part, body });
        if (sent?.status !== 200) return false;
        etag = sent.headers.etag ?? '';
      }
      const parts = `<Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part>`;
      const completed = await send({
        ...{ method: 'POST', target: `${target}?uploadId=${id}` },
        body: `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`,
      });
      return completed?.status === 200;
    });
  }

  /** Reads an object while nobody changes it. */
  private async read(bucket: KnownBucket, object: KnownObject): Promise<void> {
    const { oracle } = this.options;
    object.isBusy = true;
    const { content } = object;
    const response = await this.untilAnswered(bucket, {
      ...{ method: 'GET', target: targetOf(object) },
    });
    object.isBusy = false;
    if (response === null || bucket.isDeleting) return;
    const [status, text] = [response.status, await readText(response)];
    const isRight = content === null ? status === 404 : status === 200 && text === textOf(content);
    if (!isRight) oracle.fail(`${targetOf(object)} is ${status} ${text} instead of ${content}`);
  }

  /** Does what leaves a content at the keys of some objects. */
  private async change(
    objects: KnownObject[],
    content: string | null,
    work: () => Promise<boolean>,
  ): Promise<void> {
    for (const object of objects) object.isBusy = true;
    if (!(await work())) return;
    for (const object of objects) Object.assign(object, { content, isBusy: false });
  }

  /**
   * Sends a request until its outcome is known. Returns null where the bucket is deleted meanwhile, and fails where it
   * is refused without a reason.
   */
  private async untilAnswered(bucket: KnownBucket, call: S3Call): Promise<S3Response | null> {
    const { oracle } = this.options;
    while (!bucket.isDeleting) {
      const response = await this.send(call);
      if (response === null || RETRIED.includes(response.status)) continue;
      const isExpected =
        response.status < 300 || (call.method === 'GET' && response.status === 404);
      if (!isExpected && !bucket.isDeleting)
        oracle.fail(
          `${call.method} ${call.target}: ${response.status} ${await readText(response)}`,
        );
      return response;
    }
    return null;
  }

  private send(call: S3Call): Promise<S3Response | null> {
    const { world, process, key } = this.options;
    const server = process();
    const pieces = [new TextEncoder().encode(call.body ?? '')];
    const cutAt = call.body && world.isFailing(CUT_PROBABILITY) ? world.below(2) : null;
    const body = call.body === undefined ? null : piecewise(world, server.life, pieces, cutAt);
    return sendS3(server, { ...call, stream: body }, key(), () => world.now);
  }

  private newContent(): string {
    this.contents += 1;
    return `s3-${nameContent(this.contents, true)}`;
  }
}

const targetOf = ({ bucketId, key }: KnownObject) => `/${bucketId}/${key}`;

async function readText({ body }: S3Response): Promise<string> {
  return body === null || typeof body === 'string' ? (body ?? '') : new Response(body).text();
}
