import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { KeyRing } from './secrets.ts';

/**
 * Returns the claims of a token that one of the keys has signed. Throws jose's error where none has, or
 * a claim is not as the options want it.
 */
export async function verifyJwt(
  token: string,
  [key, next, ...others]: KeyRing,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, key, options)).payload;
  } catch (error) {
    const isOtherKey = error instanceof errors.JWSSignatureVerificationFailed;
    if (!isOtherKey || !next) throw error;
    return verifyJwt(token, [next, ...others], options);
  }
}
