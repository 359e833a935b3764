import { isUtf8 } from 'node:buffer';

/** Returns the text of a header, whose bytes Node gives as Latin-1. They are UTF-8 where they can be. */
export function headerText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
