/** Returns the origin of a URL in its normal form; null for a text that is no URL. */
export function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  parsed.hostname = parsed.hostname.replace(/\.+$/, '');
  return parsed.origin;
}
