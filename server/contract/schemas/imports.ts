import { t } from 'elysia';
import { IMPORT_URL_MAX } from '../limits.ts';
import { described, named, oneOf } from './fields.ts';
import { ACCESSES } from './files.ts';

const yesOrNo = (name: string) =>
  t.Optional(oneOf(['yes', 'no'], { error: `${name} must be yes or no.` }));

export const UrlImportBody = named(
  'UrlImport',
  t.Object(
    {
      url: described(
        'Where the file is, as an http or https URL.',
        t.String({
          minLength: 1,
          maxLength: IMPORT_URL_MAX,
          error: `url must be an http or https URL of at most ${IMPORT_URL_MAX.toLocaleString('en')} characters.`,
        }),
      ),
      access: t.Optional(oneOf(ACCESSES, { error: 'access must be public or private.' })),
      folder: t.Optional(
        described('The folder of the file, such as photos/2026.', t.String({ maxLength: 1024 })),
      ),
      path: t.Optional(
        described(
          'The path of the file, such as photos/2026/harbour.jpg; not together with folder.',
          t.String({ maxLength: 1024 }),
        ),
      ),
      on_conflict: t.Optional(
        oneOf(['rename', 'replace', 'error'], {
          error: 'on_conflict must be rename, replace or error.',
        }),
      ),
      optimize: described(
        'no stores an image or a video byte for byte; yes where it is left out.',
        yesOrNo('optimize'),
      ),
      webp: described('Whether an image is delivered as WebP.', yesOrNo('webp')),
      resolution: t.Optional(
        described(
          "The sizes of a video, such as 1280x720,640x360; the video's own where it is left out.",
          t.String({ maxLength: 200 }),
        ),
      ),
      timeline_preview: described(
        'Whether the player of a video shows pictures along its bar.',
        yesOrNo('timeline_preview'),
      ),
    },
    { example: { url: 'https://example.com/harbour.jpg', folder: 'photos/2026' } },
  ),
);
