import ArrowRight from 'lucide-react/icons/arrow-right';
import Clapperboard from 'lucide-react/icons/clapperboard';
import CloudUpload from 'lucide-react/icons/cloud-upload';
import Globe from 'lucide-react/icons/globe';
import ImageDown from 'lucide-react/icons/image-down';
import LockKeyhole from 'lucide-react/icons/lock-keyhole';
import Network from 'lucide-react/icons/network';
import ShieldCheck from 'lucide-react/icons/shield-check';
import Users from 'lucide-react/icons/users';
import Zap from 'lucide-react/icons/zap';
import { CLAIMS } from './claims-list.ts';
import { Section } from './section.tsx';

const ICONS = {
  globe: Globe,
  lock: LockKeyhole,
  image: ImageDown,
  video: Clapperboard,
  network: Network,
  shield: ShieldCheck,
  zap: Zap,
  users: Users,
  upload: CloudUpload,
};

/** A quiet grid; each claim leads to the page that shows what it means. */
export function Claims() {
  return (
    <Section
      id="claims"
      title="What it does"
      text="Everything you need to store and deliver media."
    >
      <ul className="mt-8 grid gap-px overflow-hidden rounded-lg border border-base-300 bg-base-300 sm:grid-cols-2 lg:grid-cols-3">
        {CLAIMS.map(({ icon, title, text, page }) => {
          const Icon = ICONS[icon];
          return (
            <li
              key={title}
              className="group relative flex flex-col bg-base-200 p-6 has-[a:hover]:bg-base-100 max-lg:last:sm:col-span-2 max-sm:pl-15"
            >
              <Icon size={20} aria-hidden className="text-primary max-sm:absolute max-sm:left-6" />
              <h3 className="font-semibold text-balance sm:mt-4">{title}</h3>
              <p className="mt-1.5 text-sm text-pretty text-quiet">{text}</p>
              <a
                href={page.path}
                className="mt-auto flex items-center gap-1.5 self-start pt-4 text-sm font-medium after:absolute after:inset-0 group-hover:text-primary"
              >
                {page.name}
                <ArrowRight size={16} aria-hidden />
              </a>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
