import { MESSAGES } from '../../server/contract/messages.ts';
import { bearer, sessionOver } from '../bearer.ts';
import { ApiFailure, textOfBody } from '../failure.ts';

/**
 * Posts a form and tells how much of it has left: `fetch` can't.
 * @param onSent called with the bytes sent so far, of the body as a whole
 * @returns the parsed answer. Throws ApiFailure; its status is 0 when no answer came
 */
export function sendForm<Answer>(
  path: string,
  form: FormData,
  onSent: (bytes: number) => void,
): Promise<Answer> {
  const { authorization } = bearer();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('authorization', authorization);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText));
      else if (request.status === 401) reject(sessionOver());
      else reject(new ApiFailure(request.status, textOfBody(request.responseText)));
    };
    request.onerror = () => reject(new ApiFailure(0, MESSAGES.unexpected));
    request.send(form);
  });
}
