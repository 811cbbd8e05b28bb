import { toLanguageTag } from '../hls/language.ts';
import type { Stream } from './streams.ts';

/** An audio stream to deliver, with what viewers select it by. */
export type AudioTrack = {
  /** The index of its stream. */
  index: number;
  channels: number;
  /** A tag of BCP 47; null where the file names none. */
  language: string | null;
  /** What a menu shows. It differs from that of every other track. */
  name: string;
  /** Whether it is a commentary, which no player selects by its language. */
  isCommentary: boolean;
};

/** Each takes 57 MB an hour, and a film has a few languages and a commentary. */
export const MAX_AUDIO_TRACKS = 8;
const MAX_NAME_LENGTH = 64;

/** Returns the first audio tracks of a video, of which the main one comes first, at most `MAX_AUDIO_TRACKS`. */
export function listAudioTracks(sounds: Stream[], main: Stream | undefined): AudioTrack[] {
  const ordered = main ? [main, ...sounds.filter((one) => one !== main)] : [];
  const names = new Set<string>();
  return ordered.slice(0, MAX_AUDIO_TRACKS).map((stream, at) => {
    const { index, channels, tags = {}, disposition = {} } = stream;
    const language = toLanguageTag(tags.language);
    const given = cleanName(tags.title) || nameOfLanguage(language) || `Audio ${at + 1}`;
    const name = names.has(given) ? `${given} (${at + 1})` : given;
    names.add(name);
    const isCommentary = disposition.comment === 1 || disposition.visual_impaired === 1;
    return { index, channels: Number(channels), language, name, isCommentary };
  });
}

/** Quoted strings in a playlist contain neither quotes nor line breaks (RFC 8216, 4.2). */
const cleanName = (title = '') =>
  title
    .replaceAll(/["\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();

/** Returns what a language calls itself, such as 'Deutsch'. */
function nameOfLanguage(language: string | null): string | undefined {
  return language === null
    ? undefined
    : new Intl.DisplayNames([language], { type: 'language' }).of(language);
}
