/**
 * Returns at most `maxLength` UTF-16 code units from the beginning of a text. It never ends with half of a surrogate
 * pair.
 */
export function clip(value: string, maxLength: number): string {
  if (value.length <= maxLength) return value;
  const last = value.charCodeAt(maxLength - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return value.slice(0, isHalf ? maxLength - 1 : maxLength);
}
