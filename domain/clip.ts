/** Returns the beginning of a text, at most `maxLength` UTF-16 code units of it. It never ends with half of a character. */
export function clip(value: string, maxLength: number): string {
  if (value.length <= maxLength) return value;
  const last = value.charCodeAt(maxLength - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return value.slice(0, isHalf ? maxLength - 1 : maxLength);
}
