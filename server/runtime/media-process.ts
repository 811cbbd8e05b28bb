import { constants, getPriority, setPriority } from 'node:os';
import { decoderProgram } from '../../media/decoder/program.ts';
import { extractEmbedded } from '../../media/image/libraries.ts';
import { runWorker } from '../../media/worker/worker.ts';
import { openObjects } from '../adapters/objects.ts';
import { ConfigError, loadMediaConfig, type MediaConfig } from '../config/config.ts';
import { MIB } from '../contract/limits.ts';
import { toLogLine } from '../platform/log.ts';
import { machineMemory } from '../platform/machine-memory.ts';
import { captureConsole, sayFailure } from './console-lines.ts';
import { findFfmpegBinaries } from './ffmpeg-binaries.ts';

/**
 * How much nicer than the server the media process is, and the decoders of images, which inherit it: requests
 * get a core before the images that wait to be processed. ffmpeg is nicer still.
 */
const NICENESS = 5;

/** Runs the media process, which starts decoders and ffmpeg. */
export async function runMediaProcess(): Promise<void> {
  // Only root may ask for more than the process has, so the server's own niceness counts.
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICENESS));
  captureConsole((level, text) => process.stderr.write(toLogLine(level, {}, text)));
  process.on('uncaughtException', (error) => {
    sayFailure(String(error.stack));
    process.exit(1);
  });
  const config = loadMediaConfig();
  if (Bun.isStandaloneExecutable) await extractEmbedded(config.librariesDir);
  await runWorker(await openMediaServices(config));
}

/**
 * The composition root of the media process, which only needs objects and ffmpeg. It is separate from the
 * server's, so that nothing else is loaded beside the images. Throws ConfigError.
 */
async function openMediaServices(config: MediaConfig) {
  const tools = findFfmpegBinaries(config.ffmpegPath);
  if (!tools) throw new ConfigError(['ffmpeg and ffprobe are missing.']);
  return {
    objects: await openObjects(config.storage),
    workDir: config.workDir,
    concurrency: config.concurrency,
    tools,
    memoryBytes: config.memoryBytes ?? defaultMemory(),
    decoder: decoderProgram(config.librariesDir),
    onError: (error: unknown, reason: string) =>
      process.stderr.write(toLogLine('error', { error: String(error) }, reason)),
  };
}

/** A photo of 12 megapixels has to become a WebP on any machine. */
const MIN_MEMORY_BYTES = 256 * MIB;

/** Returns the memory that decoding one image may take: a third of the machine's, so that two leave a third. */
const defaultMemory = () => Math.max(MIN_MEMORY_BYTES, Math.floor(machineMemory() / 3));
