import { HOUR, UPLOAD_TTL_MS } from '../../contract/limits.ts';
import { Section } from './section.tsx';

const QUESTIONS: { question: string; answer: string; link: { path: string; name: string } }[] = [
  {
    question: 'What do I need to run it myself?',
    answer:
      'A Linux machine with ffmpeg. Wharf is one program with SQLite and a disk, and moves to PostgreSQL and S3 when you outgrow them.',
    link: { path: '/docs/self-hosting', name: 'Self-hosting' },
  },
  {
    question: 'Which files can I upload?',
    answer:
      'Any file. Images are rotated upright, freed of metadata and converted on request, and videos become HLS in the sizes you select. Every other file is stored as it is.',
    link: { path: '/docs/uploading', name: 'Choose an upload method' },
  },
  {
    question: 'What happens if an upload is interrupted?',
    answer: `It resumes where it stopped, for up to ${UPLOAD_TTL_MS / HOUR} hours, in the dashboard, in chunks or with tus.`,
    link: { path: '/docs/video-in-chunks', name: 'Upload a video in chunks' },
  },
  {
    question: 'Can users upload without my API key?',
    answer: 'Yes. Create a write token that expires, and give it to the browser.',
    link: { path: '/docs/tokens', name: 'API keys and tokens' },
  },
  {
    question: 'Does it work with my CDN?',
    answer:
      'Yes. File URLs never change their content, and responses have the headers by which CDNs cache and purge them.',
    link: { path: '/docs/behind-a-cdn', name: 'Behind a CDN' },
  },
  {
    question: 'How do I get my data out?',
    answer:
      'List and download everything through the API. On your own server, a backup is a folder with the database and your files.',
    link: { path: '/docs/backup-and-restore', name: 'Backup and restore' },
  },
];

export function Questions() {
  return (
    <Section
      id="questions"
      title="Questions, answered"
      text="What most people ask before they start."
    >
      <div className="mt-8 divide-y divide-base-300 border-y border-base-300">
        {QUESTIONS.map(({ question, answer, link }) => (
          <details key={question} className="group">
            <summary className="flex cursor-pointer items-center justify-between gap-4 py-4 font-medium hover:text-primary">
              {question}
              <span aria-hidden className="text-quiet group-open:rotate-45">
                +
              </span>
            </summary>
            <p className="max-w-3xl pb-5 text-pretty text-quiet">
              {answer}{' '}
              <a href={link.path} className="text-base-content underline hover:text-primary">
                {link.name}
              </a>
            </p>
          </details>
        ))}
      </div>
    </Section>
  );
}
