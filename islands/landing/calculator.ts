import { formatEstimate, monthlyCost, type Prices, parseAmount } from './estimate.ts';

/** The landing page's calculator: the server has done the first sum, this does the next ones. */
export function startCalculator() {
  const form = document.querySelector<HTMLFormElement>('[data-calculator]');
  const output = form?.querySelector('output');
  if (!form || !output) return;

  const prices: Prices = JSON.parse(form.dataset.calculator ?? '{}');
  const amountOf = (name: string) => parseAmount(String(new FormData(form).get(name) ?? ''));
  const update = () => {
    const amounts = {
      storage: amountOf('storage'),
      bandwidth: amountOf('bandwidth'),
      upload: amountOf('upload'),
    };
    output.textContent = formatEstimate(monthlyCost(prices, amounts));
  };
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => event.preventDefault());
  // Browsers put back what was typed before a reload.
  update();
}
