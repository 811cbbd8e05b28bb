import MoveHorizontal from 'lucide-react/icons/move-horizontal';
import { formatBytes } from '../../contract/units.ts';
import { assets } from '../../web/assets/assets.ts';
import { UploadExample } from './upload-example.tsx';

const SIZE = { width: 1600, height: 647 };

/**
 * One photo from this very instance: as it was taken on the left, as it is delivered on the right,
 * with the bytes of both, and the command that does the same. islands/landing moves the line.
 */
export function Proof({ appUrl }: { appUrl: string }) {
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
          <img
            {...SIZE}
            src={url('photo.jpg')}
            alt=""
            loading="lazy"
            decoding="async"
            fetchPriority="low"
            className="compare-original"
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
