import Check from 'lucide-react/icons/check';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import SunMoon from 'lucide-react/icons/sun-moon';

const CHOICES = [
  { value: 'light', label: 'Light', Icon: Sun },
  { value: 'dark', label: 'Dark', Icon: Moon },
  { value: 'system', label: 'System', Icon: Monitor },
];

/** Light, dark or system; islands/page/theme.ts listens and marks the chosen one. */
export function ThemeMenu() {
  return (
    <>
      <button
        type="button"
        popoverTarget="theme-menu"
        className="btn btn-ghost btn-square"
        aria-label="Theme"
      >
        <SunMoon size={16} aria-hidden />
      </button>
      <div id="theme-menu" popover="auto" className="menu-panel bar-menu">
        {CHOICES.map(({ value, label, Icon }) => (
          <button
            key={value}
            type="button"
            className="menu-item aria-pressed:text-primary"
            data-theme-choice={value}
          >
            <Icon size={16} aria-hidden />
            {label}
            <Check size={16} aria-hidden className="ml-auto hidden [[aria-pressed=true]>&]:block" />
          </button>
        ))}
      </div>
    </>
  );
}
