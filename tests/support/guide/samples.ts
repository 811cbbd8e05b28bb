export type Sample = {
  /** The language of the code block: `sh`, `ts`, `nginx`, … */
  language: string;
  code: string;
  /** The `output` block that follows, or null. */
  output: string | null;
};

const FENCE = /^```(\S*)\n([\s\S]*?)^```$/gm;

/** Returns the code blocks of a guide page in order, each with the output that the page shows. */
export function samplesOf(text: string): Sample[] {
  const samples: Sample[] = [];
  let end = 0;
  for (const match of text.matchAll(FENCE)) {
    const [block, language = '', code = ''] = match;
    const between = text.slice(end, match.index);
    end = match.index + block.length;
    if (language !== 'output') {
      samples.push({ language, code, output: null });
      continue;
    }
    const before = samples.at(-1);
    const isAttached = between.trim() === '' && before && ['sh', 'ts'].includes(before.language);
    if (!isAttached) throw new Error(`Nothing that runs stands before this output:\n${code}`);
    before.output = code;
  }
  return samples;
}

/** Returns whether a sample runs in a browser. The browser tests run those. */
export const isForBrowsers = ({ language, code }: Sample) =>
  language === 'ts' && code.includes('document.');

export const isRunnable = (sample: Sample) =>
  sample.language === 'sh' || (sample.language === 'ts' && !isForBrowsers(sample));
