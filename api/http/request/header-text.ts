import { isUtf8 } from 'node:buffer';

/**
 * Returns the text of a header. Node decodes its bytes as Latin-1; this function decodes them as UTF-8 if they are
 * valid.
 */
export function headerText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
