/**
 * Runs before the first paint, so that nobody sees the wrong theme. Storage may be forbidden, and
 * then reading it throws. islands/page/theme.ts applies the same rule when the choice changes.
 */
export const THEME_SCRIPT = `(()=>{let t;try{t=localStorage.getItem('theme')}catch{}const l=t==='light'||t==='system'&&matchMedia('(prefers-color-scheme: light)').matches;document.documentElement.dataset.theme=l?'wharf-light':'wharf-dark'})()`;
