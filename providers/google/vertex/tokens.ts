/** Gets the tokens with which Vertex AI is called. */
import type { OutboundFetch } from '../../reference-media.ts';
import { type Expiring, Renewed, withoutCredential } from '../../renewed.ts';
import { isServiceAccount, type LibraryCredential, type VertexCredential } from './credential.ts';
import { fetchServiceToken } from './service-token.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** The time after which the library is asked again for its token. */
const RECHECK_MS = 30_000;
/** The library renews a token so long before it expires. */
const LIBRARY_MARGIN_MS = 5 * 60_000;

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

export function createTokens(credential: VertexCredential, outbound: OutboundFetch): Tokens {
  const tokens = new Renewed(
    isServiceAccount(credential)
      ? () => fetchServiceToken(credential, SCOPE, outbound)
      : createLibrarySource(credential),
  );
  return { token: () => tokens.get(), secrets: () => tokens.recent };
}

/** Uses Google's library, loaded at the first call, for identities of the machine and of other clouds. */
function createLibrarySource(credential: LibraryCredential): () => Promise<Expiring<string>> {
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
      return { value: token, expiresAtMs: now + LIBRARY_MARGIN_MS, renewAtMs: now + RECHECK_MS };
    } catch (cause) {
      throw withoutCredential('unauthorized', cause);
    }
  };
}
