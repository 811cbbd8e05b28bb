import { afterEach, expect, test } from 'bun:test';
import { ApiError, CancelledError } from './api-error.ts';
import { setPasswordPrompt, withPassword } from './password-prompt.ts';

afterEach(() => setPasswordPrompt(null));

/** Returns a call that wants the password until the prompt has been answered, and counts the prompts. */
function openCall() {
  const state = { isConfirmed: false, prompts: 0, finish: () => {}, cancel: () => {} };
  setPasswordPrompt(() => {
    state.prompts += 1;
    return new Promise((resolve, reject) => {
      state.finish = () => {
        state.isConfirmed = true;
        resolve();
      };
      state.cancel = () => reject(new CancelledError());
    });
  });
  const call = async () => {
    if (!state.isConfirmed) throw new ApiError(403, '', { code: 'password-required' });
    return 'done';
  };
  return { state, call };
}

test('calls that want the password share one dialog, and run again after it', async () => {
  const { state, call } = openCall();
  const calls = [withPassword(call), withPassword(call)];
  await Bun.sleep(0);
  state.finish();
  expect(await Promise.all(calls)).toEqual(['done', 'done']);
  expect(state.prompts).toBe(1);
});

test('closing the dialog cancels the call, and the next call asks again', async () => {
  const { state, call } = openCall();
  const cancelled = withPassword(call);
  await Bun.sleep(0);
  state.cancel();
  await expect(cancelled).rejects.toBeInstanceOf(CancelledError);
  const repeated = withPassword(call);
  await Bun.sleep(0);
  state.finish();
  expect([await repeated, state.prompts]).toEqual(['done', 2]);
});

test('other errors ask for nothing', async () => {
  const { state } = openCall();
  const refused = withPassword(() => Promise.reject(new ApiError(403, 'Banned.')));
  await expect(refused).rejects.toThrow('Banned.');
  expect(state.prompts).toBe(0);
});
