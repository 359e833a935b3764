/**
 * Parses `Retry-After`, in seconds or as an HTTP date (RFC 9110, 10.2.3), into milliseconds from now. Some servers send
 * fractions of a second. Returns undefined for other text, such as words and negative numbers.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d*)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  // Without a name of a day, the parser takes `-5` for a year.
  if (!/^[a-z]{3,9},? /i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
