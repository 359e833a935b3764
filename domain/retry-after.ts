/**
 * Parses `Retry-After`, in seconds or as an HTTP date (RFC 9110, 10.2.3), into milliseconds from now. Some servers send
 * fractions of a second, a unit (`5s`), or the header twice, of which the first one counts. Returns undefined for other
 * text, such as words and negative numbers.
 */
export function retryAfterMs(header: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  if (text === undefined) return undefined;
  const [, seconds] = /^(\d{1,9}(?:\.\d*)?)(?:\s*s)?$/.exec(text) ?? [];
  if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  // Without a name of a day, the parser takes `-5` for a year.
  if (!/^[a-z]{3,9},? /i.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
