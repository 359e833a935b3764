/** Rejects large JSON of upstreams that would take far more memory when it is parsed. */
import { endOfJsonString } from '../platform/end-of-json-string.ts';

/** The size up to which JSON is not checked: parsing it takes 30 MB at most, and the objects are freed at once. */
const UNCHECKED_BYTES = 1024 ** 2;

/** The least average number of bytes for each object and list. Each of them takes about 100 bytes of memory. */
const MIN_BYTES_EACH = 16;

const [QUOTE, LIST, OBJECT] = [0x22, 0x5b, 0x7b];

/**
 * Throws if JSON of more than 1 MiB consists mostly of tiny objects and lists. Real answers of this size consist of
 * texts, pictures or vectors.
 */
export function checkStructure(json: Buffer | string): void {
  if (json.length <= UNCHECKED_BYTES) return;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  let left = bytes.length / MIN_BYTES_EACH;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfJsonString(bytes, at + 1);
    else if (byte === LIST || byte === OBJECT) {
      left -= 1;
      if (left < 0) throw new Error('an answer of too many objects and lists');
    }
  }
}
