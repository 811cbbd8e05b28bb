import { readFileSync } from 'node:fs';
import { KIB } from '../../server/contract/limits.ts';
import { isHeic, isRaster } from '../image/raster.ts';
import { toMediaFailure } from '../media-failure.ts';
import { becomeUser } from '../sandbox/launcher.ts';
import { dieWithParent, limitResource } from '../sandbox/libc.ts';
import { decode } from './decode.ts';
import { type DecodeReply, type DecodeTask, RESULT, SOURCE } from './tasks.ts';

/**
 * The processor time for an SVG, which can ask for years of it in a few bytes. A drawing of some megabytes
 * takes a second on the longest side that it gets.
 */
const SVG_CPU_SECONDS = 5;
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** What the media process tells a decoder when it starts it. */
export type DecoderStart = {
  /** The process whose end ends this one. */
  parent: number;
  /** The user to become, who owns nothing; null to stay the same. */
  user: number | null;
  /** Bytes that an image may take beside the program itself. */
  memoryBytes: number;
};

/**
 * Runs a decoder: gives up what it does not need to decode, then does the tasks that arrive as lines on
 * standard input, one after the other, in its working folder. Resolves at the end of the input.
 */
export async function runDecoder({ parent, user, memoryBytes }: DecoderStart): Promise<void> {
  if (user !== null) becomeUser(user);
  // A change of user makes the kernel forget this.
  if (!dieWithParent(parent)) process.exit(1);
  limitMemory(memoryBytes);
  reply({ type: 'ready' });
  for await (const line of console) reply(await answer(JSON.parse(line), memoryBytes));
}

/**
 * Limits what is allocated from now on. JavaScript reserves gigabytes when it starts, which count whether
 * they are used or not.
 */
function limitMemory(bytes: number): void {
  const status = readFileSync('/proc/self/status', 'latin1');
  const [, used = '0'] = /^VmData:\s+(\d+) kB$/m.exec(status) ?? [];
  limitResource('data', Number(used) * KIB + bytes);
}

/**
 * Has the kernel end this process, by SIGXCPU, where the next image is an SVG that takes too long. Processor
 * time is the same on a busy machine.
 */
async function limitProcessorTime(): Promise<void> {
  const hasPixels = (await isRaster(SOURCE)) || (await isHeic(SOURCE));
  const { user, system } = process.cpuUsage();
  const usedSeconds = Math.ceil((user + system) / 1e6);
  limitResource('cpu', hasPixels ? UNLIMITED : usedSeconds + SVG_CPU_SECONDS, UNLIMITED);
}

async function answer(task: DecodeTask, memoryBytes: number): Promise<DecodeReply> {
  await limitProcessorTime();
  try {
    const files = { source: SOURCE, result: RESULT };
    return { type: 'done', image: await decode(task, files, memoryBytes) };
  } catch (error) {
    const { message: reason, retry, cause } = toMediaFailure(error);
    const detail = cause ? String(cause) : '';
    return { type: 'failed', reason, retry: retry === 'never' ? 'never' : 'limited', detail };
  }
}

const reply = (message: DecodeReply) => process.stdout.write(`${JSON.stringify(message)}\n`);
