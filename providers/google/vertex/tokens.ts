/** Gets and keeps the tokens with which Vertex AI is called. */
import type { OutboundFetch } from '../../reference-media.ts';
import { isServiceAccount, type LibraryCredential, type VertexCredential } from './credential.ts';
import { fetchServiceToken, MARGIN_MS, type Token, withoutToken } from './service-token.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** The time after which a failed renewal is repeated, and after which the library is asked again for its token. */
const RECHECK_MS = 30_000;

/** The tokens of one identity. */
export interface Tokens {
  /** Returns a token that is valid now. Throws ProviderError. */
  token(): Promise<string>;
  /** Returns the tokens of this moment, which errors must not contain. */
  secrets(): string[];
}

/** Access to Google's models in a project of Google Cloud. */
export interface GoogleAuth extends Tokens {
  /** The address of the project in its region: `…/projects/<project>/locations/<region>`. */
  placeUrl: string;
}

/**
 * Gets tokens. Calls at the same time share one request. A token is used until it expires, also while its renewal takes
 * long or fails.
 */
export function createTokens(credential: VertexCredential, outbound: OutboundFetch): Tokens {
  const fetchToken = isServiceAccount(credential)
    ? () => fetchServiceToken(credential, SCOPE, outbound)
    : createLibrarySource(credential);
  let kept: Token | undefined;
  let replaced: Token | undefined;
  let pending: Promise<Token> | undefined;
  const renew = async (): Promise<Token> => {
    try {
      return await fetchToken();
    } catch (error) {
      if (kept === undefined || Date.now() >= kept.expiresAtMs) throw error;
      return { ...kept, renewAtMs: Math.min(Date.now() + RECHECK_MS, kept.expiresAtMs) };
    }
  };
  const renewed = (): Promise<Token> =>
    (pending ??= renew()
      .then((token) => {
        if (token.token !== kept?.token) replaced = kept;
        return (kept = token);
      })
      .finally(() => (pending = undefined)));
  return {
    async token() {
      const now = Date.now();
      if (kept === undefined || now >= kept.expiresAtMs) return (await renewed()).token;
      // A renewal that fails now is tried again by the next call, which reports it if the token has expired.
      if (now >= kept.renewAtMs) renewed().catch(() => {});
      return kept.token;
    },
    secrets: () => [kept, replaced].flatMap((each) => each?.token ?? []),
  };
}

/** Uses Google's library, loaded at the first call, for identities of the machine and of other clouds. */
function createLibrarySource(credential: LibraryCredential): () => Promise<Token> {
  let client: Promise<{ getAccessToken(): Promise<string | null | undefined> }> | undefined;
  const create = async () => {
    const { GoogleAuth } = await import('google-auth-library');
    const { region: _, ...credentials } = credential;
    return new GoogleAuth({ scopes: [SCOPE], ...('type' in credential && { credentials }) });
  };
  return async () => {
    try {
      const token = await (await (client ??= create())).getAccessToken();
      if (typeof token !== 'string') throw new Error('no token');
      const now = Date.now();
      // The library renews a token five minutes before it expires, so this one lives for as long at least.
      return { token, expiresAtMs: now + MARGIN_MS, renewAtMs: now + RECHECK_MS };
    } catch (cause) {
      throw withoutToken('unauthorized', cause);
    }
  };
}
