/** Checks the keys of vendors of media by a request that costs nothing. */
import { z } from 'zod';
import type { ProviderHttp } from './http.ts';
import type { Provider } from './provider.ts';

/** Creates a check that reads something for which the vendor needs the key. */
export function createKeyCheck(http: ProviderHttp, path: string): NonNullable<Provider['checkKey']> {
  return async (context) => {
    await http.requestJson({ method: 'GET', path }, z.object({}), context);
  };
}
