import MoveHorizontal from 'lucide-react/icons/move-horizontal';
import { CopyButton } from '../../../islands/ui/copy-button.tsx';
import { inLines, uploadCommand } from '../../contract/files/upload-command.ts';
import { formatBytes } from '../../contract/units.ts';
import { assets } from '../../web/assets/assets.ts';
import { docsLink } from '../../web/layout/bar-menus.tsx';
import { WIDTH } from './section.tsx';

const SIZE = { width: 1600, height: 647 };

export function Hero({
  appUrl,
  docsUrl,
  isSignedIn,
}: {
  appUrl: string;
  docsUrl: string | null;
  isSignedIn: boolean;
}) {
  return (
    <section
      className={`${WIDTH} grid items-center gap-x-16 gap-y-12 pt-12 pb-16 sm:pt-16 lg:grid-cols-[1fr_1.05fr] lg:py-24`}
    >
      <div>
        <h1 className="text-4xl leading-[1.08] font-semibold tracking-tight text-balance sm:text-5xl xl:text-6xl">
          Upload, Store, and Deliver Files with Confidence
        </h1>
        <p className="mt-6 max-w-xl text-lg text-pretty text-quiet">
          Power your content with our Cloud Storage, CDN, and Optimization Services. Forget the
          hassle, we handle the scaling.
        </p>
        <div className="mt-8 flex gap-3 max-sm:flex-col">
          <a
            href={isSignedIn ? '/dashboard' : '/signup'}
            className="btn btn-primary h-11 px-5 text-base"
          >
            {isSignedIn ? 'Open your dashboard' : 'Get Started for Free'}
          </a>
          <a
            href={docsLink(docsUrl)}
            target="_blank"
            rel="noreferrer"
            className="btn btn-outline h-11 px-5 text-base"
          >
            Documentation
          </a>
        </div>
      </div>
      <Proof appUrl={appUrl} />
    </section>
  );
}

/**
 * A photo that this server delivers: the original on the left and the delivered image on the right,
 * with the bytes of both, and the command that uploads one. islands/landing moves the line between
 * them.
 */
function Proof({ appUrl }: { appUrl: string }) {
  const { url } = assets();
  return (
    <div className="card min-w-0 overflow-hidden">
      <figure data-compare>
        <div className="compare">
          <picture>
            <source type="image/avif" srcSet={url('photo.avif')} />
            <img
              {...SIZE}
              src={url('photo.webp')}
              alt="A red panda asleep on a stump among maple leaves."
              decoding="async"
              fetchPriority="low"
              data-delivered
            />
          </picture>
          {/* It is six times as large as all else on the page, so the script loads it for those who compare. */}
          <img
            {...SIZE}
            data-src={url('photo.jpg')}
            alt=""
            decoding="async"
            className="compare-original"
            data-original
          />
          <span className="compare-line" aria-hidden="true">
            <span className="compare-handle">
              <MoveHorizontal size={16} />
            </span>
          </span>
          <input
            type="range"
            min="0"
            max="100"
            defaultValue="50"
            className="compare-range"
            aria-label="Share of the picture that shows the original, in per cent"
          />
        </div>
        <figcaption className="flex justify-between gap-4 border-b border-base-300 px-4 py-3 text-sm">
          <p>
            <span className="block text-quiet">Original, JPEG</span>
            <Bytes of="photo.jpg" />
          </p>
          <p className="text-right">
            <span className="block text-quiet">
              Delivered, <span data-format="avif">AVIF</span>
              <span data-format="webp" hidden>
                WebP
              </span>
            </span>
            <span data-format="avif">
              <Delivered of="photo.avif" />
            </span>
            <span data-format="webp" hidden>
              <Delivered of="photo.webp" />
            </span>
          </p>
        </figcaption>
      </figure>
      <UploadExample appUrl={appUrl} />
    </div>
  );
}

const Bytes = ({ of }: { of: string }) => (
  <span className="numbers text-lg font-semibold">{formatBytes(assets().size(of))}</span>
);

function Delivered({ of }: { of: string }) {
  const less = 1 - assets().size(of) / assets().size('photo.jpg');
  return (
    <>
      <span className="numbers mr-2 text-success">−{Math.round(less * 100)}%</span>
      <Bytes of={of} />
    </>
  );
}

/** The command that uploads an image to this server, with a button to copy it. */
function UploadExample({ appUrl }: { appUrl: string }) {
  const lines = uploadCommand(appUrl);
  return (
    <div className="flex items-start gap-2 bg-base-100 py-3 pr-2 pl-4">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so keys must reach it */}
      <pre tabIndex={0} className="min-w-0 grow overflow-x-auto py-1 font-mono text-xs leading-5">
        <code>{inLines(lines)}</code>
      </pre>
      <CopyButton text={lines.join(' ')} label="Copy the command" />
    </div>
  );
}
