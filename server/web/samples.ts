import quickStart from '../../docs/guide/quick-start.md' with { type: 'text' };
import { inLines, uploadCommand } from '../contract/files/upload-command.ts';

/** A program that uploads an image, in one language. */
export type Sample = { language: string; label: string; code: string };

/**
 * The same upload in four languages. Each reads API_KEY and BUCKET_ID from its environment and prints
 * the response; a test runs them. All but the first are in the guide, from which they are read.
 */
export const UPLOAD_SAMPLES: Sample[] = [
  { language: 'sh', label: 'curl', code: `${inLines(uploadCommand('{APP_URL}'))}\n` },
  { language: 'js', label: 'JavaScript', code: inGuide('js') },
  { language: 'python', label: 'Python', code: inGuide('python') },
  { language: 'php', label: 'PHP', code: inGuide('php') },
];

/** Returns the sample of the quick start in a language. Throws where there is none. */
function inGuide(language: string): string {
  const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(quickStart)?.[1];
  if (!code) throw new Error(`The quick start has no sample in ${language}.`);
  return code;
}
