/** Gets and keeps the tokens with which Vertex AI is called. */
import type { OutboundFetch } from '../../reference-media.ts';
import { isServiceAccount, type LibraryCredential, type VertexCredential } from './credential.ts';
import { refusedIdentity } from './refused-identity.ts';
import { fetchServiceToken, type Token } from './service-token.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** A token is replaced so long before it expires. */
const MARGIN_MS = 5 * 60_000;
/** The time after which a token of the library, which keeps and renews its own, is asked for again. */
const RECHECK_MS = 30_000;

/** Returns a function that gets a token. Calls at the same time share one request. Throws ProviderError. */
export function createTokens(credential: VertexCredential, outbound: OutboundFetch): () => Promise<string> {
  const fetchToken = isServiceAccount(credential)
    ? () => fetchServiceToken(credential, SCOPE, outbound)
    : createLibrarySource(credential);
  let kept: { token: string; untilMs: number } | undefined;
  let pending: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    const { token, expiresAtMs } = await fetchToken();
    kept = { token, untilMs: expiresAtMs - MARGIN_MS };
    return token;
  };
  return async () => {
    if (kept !== undefined && Date.now() < kept.untilMs) return kept.token;
    pending ??= renew().finally(() => (pending = undefined));
    return pending;
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
      return { token, expiresAtMs: Date.now() + MARGIN_MS + RECHECK_MS };
    } catch (cause) {
      throw refusedIdentity(cause);
    }
  };
}
