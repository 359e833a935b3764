import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signs download paths with HMAC-SHA256. The current key comes first. Links signed with an older one stay valid until
 * they expire, so keys can rotate.
 */
export function createUrlSigner(keys: Buffer[], now: () => number = Date.now) {
  const [current] = keys;
  if (current === undefined) throw new Error('a URL signer needs at least one key');
  return {
    /** Returns the query string (without `?`) that opens `path` until `expiresAtSeconds` (Unix). */
    sign(path: string, expiresAtSeconds: number): string {
      const signature = signatureOf(current, path, String(expiresAtSeconds)).toString('base64url');
      return `expires=${expiresAtSeconds}&signature=${signature}`;
    },
    verify(
      path: string,
      { expires, signature }: { expires?: string; signature?: string },
    ): 'ok' | 'expired' | 'bad' {
      if (expires === undefined || signature === undefined || !/^\d{1,12}$/.test(expires)) return 'bad';
      const given = Buffer.from(signature, 'base64url');
      const genuine = keys.some((key) => {
        const expected = signatureOf(key, path, expires);
        // Compare the texts too: another encoding of the same bytes is an altered link.
        return (
          given.length === expected.length &&
          timingSafeEqual(given, expected) &&
          expected.toString('base64url') === signature
        );
      });
      if (!genuine) return 'bad';
      return Number(expires) * 1_000 > now() ? 'ok' : 'expired';
    },
  };
}

export type UrlSigner = ReturnType<typeof createUrlSigner>;

function signatureOf(key: Buffer, path: string, expires: string): Buffer {
  return createHmac('sha256', key).update(`${path}\n${expires}`).digest();
}
