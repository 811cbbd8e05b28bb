import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { clientSnippets } from '../../islands/s3/client-snippets.ts';
import { s3Client } from '../support/client/s3.ts';
import { samplesOf } from '../support/guide/samples.ts';
import { runCommand } from '../support/server/command.ts';
import { startWharf, type Wharf } from './targets.ts';

/*
 * Terraform keeps its state in a bucket, with the configuration that the guide and the dashboard show, and locks it while
 * somebody applies. The resource is Terraform's own, which needs no provider from elsewhere.
 */

const GUIDE = join(import.meta.dir, '../../docs/guide/s3-clients.md');
const ENDPOINT = 'https://s3.example.com';
const BUCKET = 'infrastructure';
const STATE = 'terraform.tfstate';
const LOCK = `${STATE}.tflock`;

/** Each change runs a command in the folder of the module before the state is written. */
const RESOURCE = `
variable "release" {}
variable "command" { default = "true" }
resource "terraform_data" "release" {
  triggers_replace = var.release
  provisioner "local-exec" { command = var.command }
}
output "release" { value = terraform_data.release.triggers_replace }
`;

async function shownInGuide(): Promise<string> {
  const samples = samplesOf(await Bun.file(GUIDE).text());
  const [shown, ...others] = samples.filter(({ language }) => language === 'hcl');
  if (!shown || others.length > 0) throw new Error('The guide shows not one configuration.');
  return shown.code;
}

test('the guide shows the configuration that the dashboard shows', async () => {
  const { text = '' } = clientSnippets(ENDPOINT).find(({ client }) => client === 'Terraform') ?? {};
  const named = text
    .replace('"BUCKET"', `"${BUCKET}"`)
    .replace('=ACCESS_KEY_ID', '=YOUR_ACCESS_KEY_ID')
    .replace('=SECRET_ACCESS_KEY', '=YOUR_SECRET_ACCESS_KEY');
  expect(await shownInGuide()).toBe(`${named}\n`);
});

describe.skipIf(!Bun.which('terraform'))('Terraform', () => {
  let target: Wharf;
  let s3: S3Client;
  let home: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    target = await startWharf();
    home = await mkdtemp(join(tmpdir(), 'wharf-terraform-'));
    const { accessKeyId, secretAccessKey } = target.accounts.main;
    const key = { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
    s3 = s3Client({ config: { s3: target } }, key);
    await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
    const VersioningConfiguration = { Status: 'Enabled' } as const;
    await s3.send(new PutBucketVersioningCommand({ Bucket: BUCKET, VersioningConfiguration }));
    env = {
      HOME: home,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      // It asks its makers for a newer version otherwise.
      CHECKPOINT_DISABLE: '1',
    };
  });
  afterAll(async () => {
    s3?.destroy();
    await target?.stop();
    await rm(home, { recursive: true, force: true });
  });

  const options = (folder: string) => ({ program: ['terraform', `-chdir=${folder}`] });

  /** Runs Terraform in somebody's folder, and returns what it prints. Throws what it says where it fails. */
  async function run(folder: string, ...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await runCommand(args, env, options(folder));
    if (status !== 0) throw new Error(`${args[0]} ended with ${status}: ${stderr}${stdout}`);
    return stdout;
  }
  const apply = (release: string, ...more: string[]) => [
    ...['apply', '-auto-approve', '-input=false', '-no-color', `-var=release=${release}`, ...more],
  ];

  /** Returns a folder of somebody who works on the configuration. */
  async function initialised(name: string): Promise<string> {
    const folder = join(home, name);
    await mkdir(folder);
    const configuration = (await shownInGuide()).replace(ENDPOINT, target.url);
    await Bun.write(join(folder, 'main.tf'), configuration + RESOURCE);
    await run(folder, 'init', '-input=false', '-no-color');
    return folder;
  }

  const storedRelease = async (VersionId?: string) => {
    const input = { Bucket: BUCKET, Key: STATE, VersionId };
    const text =
      (await (await s3.send(new GetObjectCommand(input))).Body?.transformToString()) ?? '';
    return JSON.parse(text).outputs.release.value;
  };
  const keys = async () => {
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: BUCKET }));
    return Contents.map(({ Key }) => Key);
  };

  test('locks its state while somebody applies, refuses everyone else, and keeps earlier states', async () => {
    const [mine, theirs] = [await initialised('mine'), await initialised('theirs')];
    await run(mine, ...apply('one'));
    expect(await keys()).toEqual([STATE]);
    expect(await storedRelease()).toBe('one');

    const gate = join(home, 'gate');
    expect(Bun.spawnSync(['mkfifo', gate]).exitCode).toBe(0);
    const waiting = Bun.spawn(
      [
        'terraform',
        `-chdir=${mine}`,
        ...apply('two', `-var=command=echo at the gate; read line < ${gate}`),
      ],
      { env: { PATH: process.env.PATH ?? '', ...env }, stdin: 'ignore', stdout: 'pipe' },
    );
    // As a writer and a reader it doesn't wait for the other end, and keeps what is written until somebody reads.
    const opened = await open(gate, 'r+');
    try {
      const printed = await untilPrinted(waiting.stdout, '(local-exec): at the gate');
      expect(printed).toContain('(local-exec): at the gate');
      expect(await keys()).toEqual([STATE, LOCK]);
      const refused = await runCommand(apply('three'), env, options(theirs));
      expect(refused).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          /Error acquiring the state lock[\s\S]*PreconditionFailed[\s\S]*Lock Info/,
        ),
      });
      expect(await storedRelease()).toBe('one');
    } finally {
      await opened.write('open\n');
      await waiting.exited;
      await opened.close();
    }
    expect(waiting.exitCode).toBe(0);
    expect(await keys()).toEqual([STATE]);
    expect(await storedRelease()).toBe('two');

    await run(theirs, ...apply('three'));
    expect(await run(mine, 'output', '-raw', 'release')).toBe('three');
    expect(await keys()).toEqual([STATE]);
    const list = new ListObjectVersionsCommand({ Bucket: BUCKET, Prefix: STATE });
    const { Versions = [] } = await s3.send(list);
    const states = Versions.filter(({ Key }) => Key === STATE);
    const releases = await Promise.all(states.map(({ VersionId }) => storedRelease(VersionId)));
    // It also stores what it has done so far where an apply takes long.
    expect([...new Set(releases)]).toEqual(['three', 'two', 'one']);
  });
});

/** Reads until a text was printed, or all is, and returns it. */
async function untilPrinted(output: ReadableStream<Uint8Array>, text: string): Promise<string> {
  let printed = '';
  const decoder = new TextDecoder();
  const reader = output.getReader();
  while (!printed.includes(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    printed += decoder.decode(value, { stream: true });
  }
  return printed;
}
